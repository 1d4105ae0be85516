#!/usr/bin/env python3
"""Collects and generates the pages of the site.

    site/prepare.py COMMAND FOLDER

Pages of `docs/` and of the project go to FOLDER/pages as they are, except for links that leave `docs/`. The reference is generated from
the tables of the command. The pages for the browser (`web/page/dist`) and the documentation of the crates (`target/doc`) are
added where they are built.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Links that exist only on the site, to the page for the browser: `<!-- site: ADDRESS "WORDS" -->`. A link on a separate line is a
# button.
ON_SITE = re.compile(r'(^)?<!-- site: (\S+) "([^"]*)" -->', re.M)
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
# Pages outside of `docs/`, with their places on the site.
PROJECT = {
    "README.md": "index.md",
    "CHANGELOG.md": "project/changelog.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "examples/README.md": "project/examples.md",
    "bench/README.md": "project/benchmarks.md",
    "fuzz/README.md": "project/fuzzing.md",
    "release/README.md": "project/releases.md",
    "SECURITY.md": "project/security.md",
}
LISTS = ["metrics", "profiles", "formats", "options", "groups", "outputs", "comparison", "agreement", "correlation", "heuristics", "ace"]


def places():
    """Returns the place of every page, by its path in the repository."""
    found = {f"docs/{path.relative_to(ROOT / 'docs')}": str(path.relative_to(ROOT / "docs")) for path in pages()}
    return {**found, **PROJECT}


def pages():
    return sorted((ROOT / "docs").rglob("*.md"))


class Links:
    """Converts links of pages to links on the site, and copies linked files."""

    def __init__(self, folder):
        self.folder, self.places = folder, places()

    def rewrite(self, source, target):
        """Returns the text of a page with links adjusted to the site."""
        # Code blocks contain examples of annotation that look like links.
        parts = re.split(r"(?ms)(^(`{3,}).*?^\2`*$)", (ROOT / source).read_text(encoding="utf-8"))
        text = ""
        for number, part in enumerate(parts):
            if number % 3 == 0:
                for line in part.splitlines(keepends=True):
                    is_code = line.startswith("    ")
                    text += line if is_code else LINK.sub(lambda link: self.link(link, source, target), line)
            elif number % 3 == 1:
                text += part
        return text

    def link(self, link, source, target):
        words, address = link.groups()
        path, _, anchor = address.partition("#")
        if "://" in address or not path or address.startswith("mailto:"):
            return link.group()
        goal = os.path.normpath(os.path.join(os.path.dirname(source), path))
        if goal.startswith("docs/") and (ROOT / goal).is_file() and goal not in self.places:
            place = goal[len("docs/") :]
            (self.folder / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / goal, self.folder / place)
        elif goal in self.places:
            place = self.places[goal]
        elif f"{goal}/README.md" in self.places:
            place = self.places[f"{goal}/README.md"]
        elif goal == "schema":
            place = "reference/json.md"
        elif (ROOT / goal).exists():
            place = self.copied(goal)
        else:
            sys.exit(f"{source} links to {address}, which does not exist")
        way = os.path.relpath(place, os.path.dirname(target))
        return f"[{words}]({way}{'#' + anchor if anchor else ''})"

    def copied(self, goal):
        """Returns the place of a copy of a file, or of an archive of a folder."""
        path, place = ROOT / goal, f"files/{goal.replace('/', '-')}"
        # A page without a place on the site is copied as text.
        place += ".txt" if path.suffix == ".md" else ""
        copy = self.folder / place
        copy.parent.mkdir(exist_ok=True)
        if path.is_file():
            shutil.copyfile(path, copy)
            return place
        tracked = subprocess.run(["git", "ls-files", goal], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        with zipfile.ZipFile(f"{copy}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for file in tracked.splitlines():
                archive.write(ROOT / file, os.path.relpath(file, os.path.dirname(goal)))
        return f"{place}.zip"


def cell(text):
    """Returns text for a table cell; text that looks like HTML is formatted as code."""
    return re.sub(r"([|\[\]<])", r"\\\1", text.replace("\n", " "))


def reference(command, folder):
    """Writes the pages with output of the command."""

    def output(*typed):
        return subprocess.run([command, *typed], capture_output=True, text=True, check=True).stdout

    text = "# Lists of names\n\nThe names that the command, Python and Rust share; `corefeval list` prints them.\n"
    for name in LISTS:
        rows = next(rows for rows in json.loads(output("list", name, "-o", "json")).values() if isinstance(rows, list))
        text += f"\n## {name.capitalize()}\n\n| name | meaning |\n|---|---|\n"
        text += "".join(f"| `{row['name']}` | {cell(row['text'])} |\n" for row in rows)
    (folder / "lists.md").write_text(text, encoding="utf-8")

    names = re.findall(r"^  (\w+) ", output("--help").split("Commands:")[1].split("Options:")[0], re.M)
    text = "# Commands\n\nEach section is what `corefeval COMMAND --help` prints.\n"
    for name in names:
        if name != "help":
            text += f"\n## {name}\n\n````text\n{output(name, '--help').rstrip()}\n````\n"
    (folder / "commands.md").write_text(text, encoding="utf-8")

    text = "# JSON\n\nSchemas (JSON Schema) of the outputs of `-o json`. Fields are only added within a version `0.x`.\n\n| schema | describes | fields |\n|---|---|---|\n"
    for path in sorted((ROOT / "schema").glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        shutil.copyfile(path, folder / path.name)
        fields = ", ".join(f"`{field}`" for field in schema.get("properties", {}))
        text += f"| [{path.name}]({path.name}) | {cell(schema.get('title') or schema.get('description', ''))} | {fields} |\n"
    (folder / "json.md").write_text(text, encoding="utf-8")


def in_markdown(source):
    """Converts docstrings of a module to Markdown: examples in fences, and roles as code."""
    source = re.sub(r":(?:class|func|meth|attr|mod|data|exc|obj):`~?([^`]+)`", r"`\1`", source)
    fenced = lambda block: f"{block[1]}```pycon\n{block[0]}{block[1]}```\n"
    return re.sub(r'(?m)^( *)>>> (?:(?!""").)*\n(?:\1(?!""")\S.*\n)*', fenced, source)


def python_api(folder, package):
    """Writes a page that mkdocstrings fills from copies of the modules, with the public names of each."""
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(ROOT / "python/corefeval", package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for path in package.rglob("*.py"):
        path.write_text(in_markdown(path.read_text(encoding="utf-8")), encoding="utf-8")
    text = "# Python API\n\n[The guide](../python.md) has examples of each.\n\n## corefeval\n\n"
    front = (package / "__init__.py").read_text(encoding="utf-8")
    public = re.search(r"^__all__ = \[(.*?)\]", front, re.M | re.S)
    # Only the stub contains the names of the extension.
    native = " ".join(re.findall(r"^from \._corefeval import (.*)$", front, re.M))
    for name in sorted(re.findall(r'"(\w+)"', public.group(1)), key=lambda name: (name[0].isupper(), name)):
        if not name.startswith("_") and not re.search(rf"\b{name}\b", native):
            text += f"::: corefeval.{name}\n\n"
    for path in sorted(package.rglob("*.py")):
        module = ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__")
        replaces = module in ("allennlp", "clustering", "coval", "e2e", "huggingface", "spacy", "spark", "torchmetrics")
        if replaces:
            text += f"## corefeval.{module}\n\n::: corefeval.{module}\n    options:\n      show_root_heading: false\n\n"
    (folder / "python-api.md").write_text(text, encoding="utf-8")


def rust(folder, pages_folder):
    """Writes the page of the crates, which links to their documentation if it is built."""
    built = ROOT / "target/doc"
    crates = ["corefeval_core", "corefeval_metrics", "corefeval_report", "corefeval_page"]
    has = all((built / crate / "index.html").is_file() for crate in crates) and os.environ.get("COREFEVAL_RUSTDOC") == "1"
    if has:
        shutil.copytree(built, pages_folder / "rust", ignore=shutil.ignore_patterns(".lock", "src"))
    text = "# Rust\n\nThe front pages of the crates; `cargo doc --open` shows the documentation of every item.\n"
    for crate in crates:
        source = (ROOT / "crates" / crate.replace("_", "-") / "src/lib.rs").read_text(encoding="utf-8")
        lines = [line[3:].removeprefix(" ") for line in source.splitlines() if line.startswith("//!")]
        front = "\n".join(line for line in lines if not re.match(r"# (use |Ok|let |std|assert)", line))
        front = re.sub(r"^```\w*$", lambda mark: mark.group(), front, flags=re.M)
        front = re.sub(r"\[(`[^`]+`)\](\([^)]*\))?", r"\1", front)
        front = re.sub(r"^(#+ )", r"##\1", front, flags=re.M)
        title = f"[`{crate}`](../rust/{crate}/index.html)" if has else f"`{crate}`"
        text += f"\n## {title}\n\n{front}\n"
    text = re.sub(r"(?ms)^```(standalone_crate)?\n(.*?)^```$", r"```rust\n\2```", text)
    (folder / "rust.md").write_text(text, encoding="utf-8")


def main(command, folder):
    project = Path(folder)
    shutil.rmtree(project, ignore_errors=True)
    folder = project / "pages"
    (folder / "reference").mkdir(parents=True)
    (folder / "project").mkdir()
    links = Links(folder)
    app = ROOT / "web/page/dist"
    has_app = (app / "index.html").is_file()

    def on_site(found):
        begins, address, words = found.groups()
        link = f"[{words}]({address})"
        return (f"{link}{{ .md-button }}" if begins is not None else f" · {link}") if has_app else ""

    for source, target in links.places.items():
        if source == "README.md":
            continue
        page = folder / target
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(ON_SITE.sub(on_site, links.rewrite(source, target)), encoding="utf-8")
    for kind in ("figures", "pictures", "licenses"):
        shutil.copytree(ROOT / "docs" / kind, folder / kind, dirs_exist_ok=True)
    for name in ("site.css", "site.js"):
        shutil.copyfile(ROOT / "site" / name, folder / name)
    reference(command, folder / "reference")
    python_api(folder / "reference", project / "python/corefeval")
    rust(folder / "reference", folder)
    config = (ROOT / "site/mkdocs.yml").read_text(encoding="utf-8")
    # Pages without a place are guides.
    new = [path.name for path in (ROOT / "docs").glob("*.md") if f": {path.name}\n" not in config]
    config = config.replace("  - Guides:\n", "  - Guides:\n" + "".join(f"      - {name}\n" for name in sorted(new)), 1)
    if has_app:
        (folder / "app").mkdir()
        # The service worker caches the page for readers without a network.
        for name in ("index.html", "sw.js"):
            shutil.copyfile(app / name, folder / "app" / name)
        entries = "  - Score in the browser: app/index.html\n  - Playground: app/index.html#play\n"
        config = config.replace("  - Guides:\n", entries + "  - Guides:\n", 1)
    (project / "mkdocs.yml").write_text(config, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
