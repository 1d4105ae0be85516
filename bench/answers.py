"""Counts the mentions that `difflib` recovers from answers whose text differs from the key's, to compare with `corefeval-dev answers`.

    corefeval convert KEY --to jsonlines -o key.jsonlines
    python bench/answers.py key.jsonlines

changes the words of each document as `corefeval-dev answers` does: a share of them is dropped, replaced by an invented word or
preceded by an added one, with equal probability. `difflib.SequenceMatcher`, which many scripts use, then aligns the words of the
answer with those of the key. A mention is recovered if its first and last aligned word are those of the key's mention.

Two percentages per cell: of the mentions without a changed word, and of all that have a word in the answer; the second has its
standard error over the rounds. The two programs draw different words, so compare means, not single documents.
"""

from __future__ import annotations

import argparse
import difflib
import json
import pathlib
import random
import statistics

RATES = (1, 5, 20)


def read(path: pathlib.Path) -> list[tuple[list[str], list[tuple[int, int]]]]:
    """Returns the words and the mentions of each document of a jsonlines file."""
    documents = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            document = json.loads(line)
            words = [word for sentence in document["sentences"] for word in sentence]
            documents.append((words, [(first, last) for cluster in document["clusters"] for first, last in cluster]))
    return documents


def change(words: list[str], rate: int, generator: random.Random) -> tuple[list[str], list[int | None], list[bool]]:
    """Returns the words of an answer, and for each word of the key its place in the answer and whether it was changed."""
    answer: list[str] = []
    places: list[int | None] = []
    changed: list[bool] = []
    for word in words:
        kind = generator.choice(("dropped", "replaced", "preceded")) if generator.random() * 100 < rate else None
        invented = f"word{generator.randrange(1000)}"
        if kind == "preceded":
            answer.append(invented)
        places.append(None if kind == "dropped" else len(answer))
        if kind != "dropped":
            answer.append(invented if kind == "replaced" else word)
        changed.append(kind is not None)
    return answer, places, changed


def align(answer: list[str], words: list[str], autojunk: bool, replaced: bool) -> list[int | None]:
    """Returns for each word of an answer the word of the key that `difflib` aligns with it."""
    aligned: list[int | None] = [None] * len(answer)
    matcher = difflib.SequenceMatcher(None, answer, words, autojunk=autojunk)
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind == "equal" or (replaced and kind == "replace"):
            for offset in range(min(end - start, last - first)):
                aligned[start + offset] = first + offset
    return aligned


def recovered(documents: list, rate: int, generator: random.Random, **options: bool) -> tuple[float, float]:
    """Returns the recovered shares of the mentions without a changed word, and of all with a word in the answer."""
    kept, unchanged, found, left = 0, 0, 0, 0
    for words, mentions in documents:
        answer, places, changed = change(words, rate, generator)
        aligned = align(answer, words, **options)
        for first, last in mentions:
            own = [place for place in places[first : last + 1] if place is not None]
            if not own:
                continue
            span = [place for place in aligned[own[0] : own[-1] + 1] if place is not None]
            right = bool(span) and (span[0], span[-1]) == (first, last)
            left += 1
            found += right
            if not any(changed[first : last + 1]):
                unchanged += 1
                kept += right
    return 100 * kept / unchanged, 100 * found / left


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("key", nargs="+", type=pathlib.Path, help="keys in jsonlines")
    parser.add_argument("--rounds", type=int, default=10, help="times that each document is changed (10)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the pseudo-random numbers (1)")
    options = parser.parse_args()
    documents = [document for path in options.key for document in read(path)]
    print(f"{len(documents)} documents, {sum(len(words) for words, _ in documents)} words, "
          f"{sum(len(mentions) for _, mentions in documents)} mentions\n")
    print("| aligned by difflib | " + " | ".join(f"{rate}% of the words" for rate in RATES) + " |")
    print("|---" * (len(RATES) + 1) + "|")
    for replaced in (False, True):
        for autojunk in (True, False):
            cells = []
            for rate in RATES:
                generator = random.Random(options.seed)
                rounds = [recovered(documents, rate, generator, autojunk=autojunk, replaced=replaced)
                          for _ in range(options.rounds)]
                kept, found = ([shares[side] for shares in rounds] for side in (0, 1))
                error = statistics.stdev(found) / len(found) ** 0.5 if len(found) > 1 else float("nan")
                cells.append(f"{statistics.mean(kept):.2f} / {statistics.mean(found):.2f} ± {error:.2f}")
            name = ("equal words" if not replaced else "equal and replaced words") + ("" if autojunk else ", no junk")
            print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
