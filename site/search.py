#!/usr/bin/env python3
"""Lets the search find metrics before functions of the same name.

    site/search.py FOLDER

Search of the generator ranks by how often a text has the words. A short function such as `corefeval.coval.lea` comes before the page of the
metric then, so the functions of the modules that replace other scorers are found by their modules.
"""

import json
import re
import sys
from pathlib import Path


def main(folder):
    path = Path(folder) / "search.json"
    search = json.loads(path.read_text(encoding="utf-8"))
    kept, modules = [], {}
    for item in search["items"]:
        of = re.fullmatch(r"reference/python-api\.html#corefeval\.([a-z]\w*)\.(\w+)(\..*)?", item["location"])
        if of is None:
            kept.append(item)
            anchor = re.fullmatch(r"reference/python-api\.html#corefeval(\w+)", item["location"])
            if anchor:
                modules[anchor[1]] = item
        elif of[1] not in modules:
            sys.exit(f"{path}: no section is about the module of {item['location']}")
        elif of[3] is None:
            modules[of[1]]["text"] += f" {of[2]}"
    if len(kept) == len(search["items"]):
        sys.exit(f"{path} has no function of a module: has the form of its addresses changed?")
    search["items"] = kept
    path.write_text(json.dumps(search, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1])
