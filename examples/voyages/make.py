"""Writes the key and the three systems of this folder: 24 short reports of voyages, generated from templates.

usage: python3 examples/voyages/make.py

The systems are the key with mistakes at fixed rates, so that the expected result of a comparison is known: oak and elm make
the same kinds of mistakes equally often, and pine misses most pronouns.
"""

import random
from pathlib import Path

FOLDER = Path(__file__).parent
SHIPS = ["Alma", "Brage", "Corvina", "Dione", "Ester", "Fulmar"]
PEOPLE = ["Ida Moe", "Jon Berg", "Kari Lund", "Per Dahl", "Rut Eide", "Tor Vik"]
PLACES = ["Hamre", "Skarvoy", "Lindvik", "Orstad"]

# A mention is {entity: words}; P is the captain, S the ship, A and B two harbours.
OPENINGS = [
    "{P:name} took {S:name} out of {A:name} at dawn .",
    "At dawn {S:name} left {A:name} under {P:name} .",
    "{P:name} has sailed {S:name} since last year .",
]
MIDDLES = [
    "{P:she} wanted to reach {B:name} before the storm .",
    "{S:it} lost {S:its} rudder near {B:name} .",
    "The mate asked {P:her} to turn back to {A:there} .",
    "{S:the ship} was slow , and {P:the captain} knew it .",
    "{P:the captain} wrote to {P:her} brother in {A:name} .",
    "Nobody in {B:name} had seen {S:the old ship} before .",
]
ENDINGS = [
    "In {B:name} {P:she} sold {S:it} .",
    "{S:name} never came back to {A:name} .",
    "{P:name} still speaks of {S:her ship} .",
]
FORMS = {
    "she": "she", "her": "her", "it": "it", "its": "its", "there": "the harbour",
    "the captain": "the captain", "the ship": "the ship", "the old ship": "the old ship", "her ship": "the ship",
}
PRONOUNS = {"she", "her", "it", "its"}


def document(rng):
    """Returns sentences of words, and mentions (sentence, first, last, entity, kind)."""
    names = {"P": rng.choice(PEOPLE), "S": rng.choice(SHIPS)}
    names["A"], names["B"] = rng.sample(PLACES, 2)
    chosen = [rng.choice(OPENINGS), *rng.sample(MIDDLES, 4), rng.choice(ENDINGS)]
    sentences, mentions = [], []
    for number, template in enumerate(chosen):
        words = []
        for piece in template.replace("{", "\0{").replace("}", "}\0").split("\0"):
            if not piece.startswith("{"):
                words += piece.split()
                continue
            entity, form = piece[1:-1].split(":")
            own = (names[entity] if form == "name" else FORMS[form]).split()
            kind = "pronoun" if form in PRONOUNS else "name" if form == "name" else "noun"
            mentions.append((number, len(words), len(words) + len(own) - 1, entity, kind))
            words += own
        sentences.append([words[0][0].upper() + words[0][1:], *words[1:]])
    return sentences, mentions


def answer(rng, mentions, miss, split):
    """Returns the mentions that a system finds, some of them as separate entities."""
    found = []
    for place, (sentence, first, last, entity, kind) in enumerate(mentions):
        if rng.random() < miss[kind]:
            continue
        found.append((sentence, first, last, f"{entity}{place}" if rng.random() < split else entity, kind))
    return found


def conll(name, sentences, mentions):
    numbers = {}
    for mention in mentions:
        numbers.setdefault(mention[3], len(numbers))
    lines = [f"#begin document ({name}); part 000"]
    for number, words in enumerate(sentences):
        for place, word in enumerate(words):
            marks = []
            for sentence, first, last, entity, _ in mentions:
                if sentence != number:
                    continue
                identity = numbers[entity]
                if first == place == last:
                    marks.append(f"({identity})")
                elif first == place:
                    marks.append(f"({identity}")
                elif last == place:
                    marks.append(f"{identity})")
            lines.append(f"{name}\t0\t{place}\t{word}\t{'|'.join(marks) or '-'}")
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def main():
    texts = random.Random(7)
    documents = [(f"voyage_{number:02}", *document(texts)) for number in range(1, 25)]
    rates = {
        "oak": ({"name": 0.03, "noun": 0.10, "pronoun": 0.10}, 0.05),
        "elm": ({"name": 0.03, "noun": 0.10, "pronoun": 0.10}, 0.05),
        "pine": ({"name": 0.03, "noun": 0.10, "pronoun": 0.70}, 0.05),
    }
    (FOLDER / "key.conll").write_text("".join(conll(*document) for document in documents), encoding="utf-8")
    for seed, (system, (miss, split)) in enumerate(rates.items()):
        rng = random.Random(100 + seed)
        answers = [(name, text, answer(rng, mentions, miss, split)) for name, text, mentions in documents]
        (FOLDER / f"{system}.conll").write_text("".join(conll(*one) for one in answers), encoding="utf-8")


if __name__ == "__main__":
    main()
