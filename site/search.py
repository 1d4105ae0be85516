#!/usr/bin/env python3
"""Makes the search rank metrics above functions of the same name.

    site/search.py FOLDER

The generator's search ranks a title by the share of matching words, so a function such as `lea` would rank above the section about the
metric. Therefore functions of the modules that replace other scorers get their qualified names as titles.
"""

import json
import re
import sys
from pathlib import Path


def main(folder):
    path = Path(folder) / "search.json"
    search = json.loads(path.read_text(encoding="utf-8"))
    named = 0
    for item in search["items"]:
        function = re.fullmatch(r"reference/python-api\.html#(corefeval\.[a-z]\w*\.\w[\w.]*)", item["location"])
        if function:
            item["title"] = function[1]
            named += 1
    if not named:
        sys.exit(f"{path} has no function of a module: has the form of its addresses changed?")
    path.write_text(json.dumps(search, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1])
