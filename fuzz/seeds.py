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
for target in ("readers", "detection"):
    (here / "seeds" / target).mkdir(parents=True, exist_ok=True)
count = 0
for number, name in enumerate(formats):
    for folder in (name, f"{name}-broken"):
        for file in sorted((here / "../testdata/formats" / folder).glob("*")):
            content = file.read_bytes() if file.is_file() else b""
            if not 0 < len(content) < 20_000:
                continue
            for flags in (1, 3):
                (here / "seeds/readers" / f"{count}-{flags}").write_bytes(bytes([number, flags]) + content)
            (here / "seeds/detection" / f"{count}").write_bytes(content)
            (here / "seeds/detection" / f"{count}.gz").write_bytes(gzip.compress(content, mtime=0))
            count += 1
assert count > 50, f"only {count} samples found"
print(f"{count} samples are seeds")
