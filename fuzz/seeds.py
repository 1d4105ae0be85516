"""Makes seeds for the targets from the samples of the tests: fuzz/seeds/TARGET."""
import gzip
import pathlib
import re

here = pathlib.Path(__file__).parent
source = (here / "../crates/corefeval-core/src/formats/mod.rs").read_text(encoding="utf-8")
table = source[source.index("pub static FORMATS"):]
rows = re.findall(r"^    (\w+)::(\w+),$", table[:table.index("\n];")], re.M)
spelled = {"ecb_plus": "ecb+", "conll_ua": "conll-ua"}
formats = [spelled.get(module, module) if row == "SPEC" else row.lower() for module, row in rows]


def put(target, name, content):
    """Writes a seed of a target."""
    folder = here / "seeds" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


count = 0
for number, name in enumerate(formats):
    for folder in (name, f"{name}-broken"):
        for file in sorted((here / "../testdata/formats" / folder).glob("*")):
            content = file.read_bytes() if file.is_file() else b""
            if not 0 < len(content) < 20_000:
                continue
            # The format to write, the format, and its open choices (fuzz/src/lib.rs).
            for flags in (0, 3):
                put(f"readers-{name}", f"{count}-{flags}", bytes([number, flags]) + content)
                put("round_trip", f"{count}-{flags}", bytes([count % 9, number, flags]) + content)
            put("detection", f"{count}", content)
            put("detection", f"{count}.gz", gzip.compress(content, mtime=0))
            count += 1
for file in (here / "../testdata/parquet").glob("*.parquet"):
    put("parquet", file.name, file.read_bytes())
assert count > 50, f"only {count} samples found"
print(f"{count} samples are seeds")
