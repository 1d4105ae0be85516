#!/usr/bin/env python3
"""Checks the built site: no link or anchor is broken, and no page loads files from elsewhere.

    site/check.py FOLDER
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """Collects the links, the anchors and the loaded files of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.loaded = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.update(filter(None, (found.get("id"), found.get("name"))))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.loaded.append(found.get("href"))
        if tag in ("script", "img", "iframe", "source") and found.get("src"):
            self.loaded.append(found["src"])


def main(folder):
    folder = Path(folder).resolve()
    # Applications and generated documentation of crates have separate tests.
    own = [path for path in folder.rglob("*.html") if path.relative_to(folder).parts[0] not in ("app", "rust")]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in own if path.name != "404.html"}
    wrong, count = [], 0
    for path, page in pages.items():
        name = path.relative_to(folder)
        for address in page.links + page.loaded:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page.loaded and parts.scheme != "data":
                    wrong.append(f"{name} loads {address}")
                continue
            count += 1
            goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            goal = goal / "index.html" if goal.is_dir() else goal
            if not goal.exists():
                wrong.append(f"{name} leads to {address}")
            elif parts.fragment and goal in pages and unquote(parts.fragment) not in pages[goal].anchors:
                if not parts.fragment.startswith("__"):
                    wrong.append(f"{name} leads to {address}, which has no such anchor")
    # Scoring two files, the definition of LEA and differences from coval are two clicks from the first page; the scoring page is one click.
    first = pages[folder / "index.html"]
    if (folder / "app/index.html").is_file():
        wrong += [f"the first page does not lead to {goal}" for goal in ("app/index.html", "app/index.html#play") if goal not in first.links]
    for goal, word in [("start.html", "How to score two files"), ("metrics.html", "LEA"), ("explain.html", "coval")]:
        if not any(link.split("#")[0] == goal for link in first.links):
            wrong.append(f"the first page does not lead to {goal}")
        if word not in (folder / goal).read_text(encoding="utf-8"):
            wrong.append(f"{goal} has nothing about {word}")
    print("\n".join(wrong) or f"site: {len(pages)} pages, {count} links lead somewhere, nothing is loaded from elsewhere")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
