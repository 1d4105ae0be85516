"""Generates seeds for the targets from the samples of the tests (fuzz/seeds/TARGET), and dictionaries (fuzz/seeds/TARGET.dict)."""
import gzip
import pathlib
import re

here = pathlib.Path(__file__).parent
formats_of = here / "../crates/corefeval-core/src/formats"
source = (formats_of / "mod.rs").read_text(encoding="utf-8")
table = source[source.index("pub static FORMATS"):]
rows = re.findall(r"^    (\w+)::(\w+),$", table[:table.index("\n];")], re.M)


def module(name):
    """Returns the files of a module."""
    file = formats_of / f"{name}.rs"
    return [file] if file.exists() else sorted((formats_of / name).glob("*.rs"))


def id_of(name, row):
    """Returns the id of a format, by its constant."""
    for file in module(name):
        found = re.search(rf'\bconst {row}: FormatSpec = FormatSpec {{\s*id: "([^"]+)"', file.read_text(encoding="utf-8"))
        if found:
            return found[1]
    raise SystemExit(f"{name}::{row} has no id")


def put(target, name, content):
    """Writes a seed of a target."""
    folder = here / "seeds" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def words(name):
    """Returns the words of a format: the string literals of its source."""
    literals = set()
    for file in module(name):
        text = file.read_text(encoding="utf-8").split("#[cfg(test)]")[0]
        text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
        literals |= set(re.findall(r'"([\x21\x23-\x5b\x5d-\x7e]{2,20})"', text))
    return sorted(literals)


# Answers of language models, whose samples are texts in the tests.
ANSWERS = {
    "pipe": ["Ada|[e1] and her|[e1],[e2 boat|e2] sank .\n", "[Ada|e1] lost [her|e1 boat|e2] .\n\n[a|1\n"],
    "bracketed": [
        "[Ada](#1) and [[her](#1) boat](#2) sank.\n", "[1 Ada] and [2 [1 her] boat] sank.\n",
        "[Ada: 1] and [[her: 1] boat: 2] sank.\n", "[Ada]#1 and [[her]#1 boat]#2 sank.\n",
        "[[Ada]]1 and [[her boat]]2\n", "[Ada]_1 and [[her]_1 boat]_2\n", "[Ada | 1] and [[her | 1] boat | 2]\n",
        "[Ada] and [her => Ada] boat\n",
    ],
    "tagged": [
        '<m id="1">Ada</m> and <m id="2"><m id="1">her</m> boat</m>\n', "<e1>Ada</e1> and <e2><e1>her</e1> boat</e2>\n",
        "<m> Ada | 1 </m> and <m> <m> her | 1 </m> boat | 2 </m>\n", "<m> Ada </m>#1 and <m> <m> her </m>#1 boat </m>#2\n",
    ],
    "json-answer": [
        '{"clusters": [["Ada", "her"], ["her boat"]]}\n', '[["Ada", "her"]]\n', '```json\n{"1": ["Ada"]}\n```\n',
        '{"text": "Ada and her boat", "clusters": [[[0, 3], [8, 11]]]}\n',
        '{"tokens": ["Ada", "sank"], "clusters": [[[0, 0]]]}\n', '{"mentions": [{"text": "Ada", "cluster": 1}]}\n',
    ],
}

count = 0
for number, (row, constant) in enumerate(rows):
    name = id_of(row, constant)
    samples = [text.encode() for text in ANSWERS.get(name, [])]
    for folder in (name, f"{name}-broken"):
        files = sorted((here / "../testdata/formats" / folder).glob("*"))
        samples += [file.read_bytes() for file in files if file.is_file()]
    assert samples, f"{name} has no samples"
    for content in samples:
        if not 0 < len(content) < 20_000:
            continue
        # The bytes are the format to write, the format to read, and its options (fuzz/src/lib.rs).
        for flags in (0, 3):
            put(f"readers-{name}", f"{count}-{flags}", bytes([number, flags]) + content)
            put("round_trip", f"{count}-{flags}", bytes([count % 9, number, flags]) + content)
        put("detection", f"{count}", content)
        put("detection", f"{count}.gz", gzip.compress(content, mtime=0))
        count += 1
    dictionary = "".join(f'"{word}"\n' for word in words(row))
    (here / f"seeds/readers-{name}.dict").write_text(dictionary, encoding="utf-8")
for target in ("parquet", "arrow"):
    for file in (here / "../testdata" / target).iterdir():
        if file.suffix != ".py":
            put(target, file.name, file.read_bytes())
print(f"{count} samples are seeds")
