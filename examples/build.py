#!/usr/bin/env python3
"""Builds the example files of this directory from the readable texts in `source/`.

    examples/build.py            write the files
    examples/build.py --check    change nothing; exit 1 if a file is out of date

These files are written by hand:

    source/key/NAME.txt       one sentence a line; `[the ferry](ferry)` is a mention of the entity `ferry`
    source/alder/NAME.txt     the same text with the mentions of an imaginary system; also birch, cedar
    source/trees/NAME.txt     a `#begin document` line, then one tree for each sentence

A tree is written in brackets, `(NP (DT the) (NN ferry))`. A label can contain values of the other columns:
`NP:ARG0` is an argument of the sentence's only predicate, `VBD:say.01` is that predicate with its frameset, and
`/PERSON` after either is the label of a name.

The script checks everything before it writes: brackets balance, every side has the words of the trees, a mention
appears once on a side, the parse column of each sentence equals its tree when read back, and the JSON lines have
the spans of the coreference column. The key's mentions must also be constituents.

README.md next to this script explains the files.
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "source"
TEXTS = ["ferry", "workshop", "stairs"]
SYSTEMS = ["alder", "birch", "cedar"]
HEADER = re.compile(r"#begin document \((?P<id>[^()]+)\); part (?P<part>\d{3})")
QUOTES = {"``": "“", "''": "”"}
PUNCTUATION = {",", ".", ":", "``", "''"}


class Mistake(Exception):
    """An error in the source, with its place."""


# --- trees ---------------------------------------------------------------------------------------


class Node:
    """A constituent, or a word if `word` is set. Spans are word positions in the sentence, end included."""

    def __init__(self, label):
        self.word = None
        self.children = []
        self.start = self.end = None
        self.label, self.note, self.name = label, None, None
        if label not in PUNCTUATION:
            rest, _, self.name = label.partition("/")
            self.label, _, self.note = rest.partition(":")

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self):
        return [node for node in self.walk() if node.word is not None]

    def bracketed(self):
        inside = [self.word] if self.word is not None else [child.bracketed() for child in self.children]
        return f"({self.label} {' '.join(inside)})"


def read_trees(text, where):
    """Returns the consecutive trees in `text`."""
    trees, open_nodes, position = [], [], 0
    tokens = re.findall(r"[()]|[^\s()]+", text)
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token == "(":
            if index + 1 == len(tokens) or tokens[index + 1] in "()":
                raise Mistake(f"{where}: a bracket opens without a label")
            if not open_nodes:
                position = 0
            open_nodes.append(Node(tokens[index + 1]))
            open_nodes[-1].start = position
            index += 1
        elif token == ")":
            if not open_nodes:
                raise Mistake(f"{where}: tree {len(trees) + 1} closes a bracket too many")
            node = open_nodes.pop()
            if node.word is None and not node.children:
                raise Mistake(f"{where}: tree {len(trees) + 1} has an empty constituent {node.label}")
            node.end = position - 1
            (open_nodes[-1].children if open_nodes else trees).append(node)
        else:
            if not open_nodes or open_nodes[-1].word is not None or open_nodes[-1].children:
                raise Mistake(f"{where}: tree {len(trees) + 1}: the word {token} is outside its bracket")
            open_nodes[-1].word = token
            position += 1
        index += 1
    if open_nodes:
        raise Mistake(f"{where}: the last tree is not closed")
    return trees


def column(length, spans):
    """Returns a column in which `(LABEL*` opens at a span's start and `)` closes at its end.

    In `spans`, outer spans precede inner spans, so that spans over the same words keep their order."""
    before, after = [""] * length, [""] * length
    for start, end, label in spans:
        before[start] += f"({label}"
        after[end] += ")"
    return [f"{opening}*{closing}" for opening, closing in zip(before, after)]


def parse_column(tree):
    length = len(tree.leaves())
    constituents = [(node.start, node.end, node.label) for node in tree.walk() if node.word is None]
    return column(length, [(0, length - 1, "TOP"), *constituents])


def check_parse_column(cells, tree, where):
    leaves = tree.leaves()
    text = "".join(cell.replace("*", f" ({leaf.label} {leaf.word}) ") for cell, leaf in zip(cells, leaves))
    text = re.sub(r"\((?=\S)", " (", text)
    again = read_trees(text, where)
    if len(again) != 1 or again[0].bracketed() != f"(TOP {tree.bracketed()})":
        raise Mistake(f"{where}: the parse column does not read back as the tree")


# --- texts with marks ----------------------------------------------------------------------------


def read_marks(line, words, where):
    """Returns the mentions of a line as (start, end, entity), after checking that the line has these words."""
    mentions, open_starts = [], []
    word, letter, at = 0, 0, 0
    while at < len(line):
        rest = line[at:]
        mark = re.match(r"\]\((\w+)\)", rest)
        if rest[0].isspace():
            at += 1
        elif rest[0] == "[":
            if letter:
                raise Mistake(f"{where}: a mention opens inside the word {words[word]}")
            open_starts.append(word)
            at += 1
        elif mark:
            if letter or not open_starts or open_starts[-1] == word:
                raise Mistake(f"{where}: {mark[0]} closes nothing, or inside a word")
            mentions.append((open_starts.pop(), word - 1, mark[1]))
            at += len(mark[0])
        else:
            written = QUOTES.get(words[word], words[word]) if word < len(words) else ""
            if letter >= len(written) or rest[0] != written[letter]:
                raise Mistake(f"{where}: at {rest[:20]!r} the tree has {written!r}")
            letter += 1
            at += 1
            if letter == len(written):
                word, letter = word + 1, 0
    if open_starts:
        raise Mistake(f"{where}: a mention is not closed")
    if word != len(words) or letter:
        raise Mistake(f"{where}: the words after {' '.join(words[:word])!r} are missing")
    spans = [mention[:2] for mention in mentions]
    if len(set(spans)) != len(spans):
        raise Mistake(f"{where}: one span is marked twice")
    return mentions


def coreference_column(mentions, numbers, length):
    """Returns the column: openings first, the longest outermost, then one-word mentions, then closings, innermost first."""
    cells = [([], [], []) for _ in range(length)]
    for start, end, entity in sorted(mentions, key=lambda m: (m[0], -m[1])):
        number = numbers[entity]
        if start == end:
            cells[start][1].append(f"({number})")
        else:
            cells[start][0].append(f"({number}")
    for start, end, entity in sorted(mentions, key=lambda m: (m[1], -m[0])):
        if start != end:
            cells[end][2].append(f"{numbers[entity]})")
    return ["|".join(opening + single + closing) or "-" for opening, single, closing in cells]


# --- documents -----------------------------------------------------------------------------------


class Text:
    """Words and trees of one text, with the mentions of each side by sentence."""

    def __init__(self, name):
        where = f"source/trees/{name}.txt"
        header, _, body = (SOURCE / "trees" / f"{name}.txt").read_text(encoding="utf-8").partition("\n")
        match = HEADER.fullmatch(header)
        if not match:
            raise Mistake(f"{where}:1: expected a #begin document line")
        self.header, self.id, self.part = header, match["id"], int(match["part"])
        self.trees = read_trees(body, where)
        self.sentences = [[leaf.word for leaf in tree.leaves()] for tree in self.trees]
        self.annotation = [self.columns(tree, f"{where}: tree {n}") for n, tree in enumerate(self.trees, 1)]
        self.mentions = {side: self.read_side(side, name) for side in ["key", *SYSTEMS]}

    def columns(self, tree, where):
        """Returns all columns between the word and the coreference, one list for each word."""
        leaves, nodes = tree.leaves(), list(tree.walk())
        parse = parse_column(tree)
        check_parse_column(parse, tree, where)
        predicates = [node for node in leaves if node.note]
        if len(predicates) > 1:
            raise Mistake(f"{where}: more than one predicate")
        roles = [(n.start, n.end, n.note) for n in nodes if n.word is None and n.note]
        roles += [(n.start, n.end, "V") for n in predicates]
        if bool(predicates) != any(role[2] != "V" for role in roles):
            raise Mistake(f"{where}: a predicate without arguments, or the reverse")
        arguments = column(len(leaves), roles)
        names = column(len(leaves), [(n.start, n.end, n.name) for n in nodes if n.name])
        rows = []
        for n, leaf in enumerate(leaves):
            lemma, _, frameset = leaf.note.partition(".") if leaf.note else ("-", "", "-")
            rows.append([leaf.label, parse[n], lemma, frameset, "-", "-", names[n], arguments[n]])
        return rows

    def read_side(self, side, name):
        where = f"source/{side}/{name}.txt"
        lines = (SOURCE / side / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        if len(lines) != len(self.sentences):
            raise Mistake(f"{where}: {len(lines)} lines for {len(self.sentences)} trees")
        sides = []
        for number, (line, words, tree) in enumerate(zip(lines, self.sentences, self.trees), 1):
            mentions = read_marks(line, words, f"{where}:{number}")
            constituents = {(node.start, node.end) for node in tree.walk()}
            for start, end, _ in mentions if side == "key" else []:
                if (start, end) not in constituents:
                    raise Mistake(f"{where}:{number}: {' '.join(words[start:end + 1])!r} is not a constituent")
            sides.append(mentions)
        return sides

    def entities(self, side):
        """Maps names of entities to mentions as (start, end) in the whole text, in order of first mention."""
        offset, found = 0, []
        for words, mentions in zip(self.sentences, self.mentions[side]):
            found += [(offset + start, offset + end, entity) for start, end, entity in mentions]
            offset += len(words)
        entities = {}
        for start, end, entity in sorted(found, key=lambda m: (m[0], -m[1])):
            entities.setdefault(entity, []).append((start, end))
        return entities

    def conll(self, side):
        numbers = {entity: number for number, entity in enumerate(self.entities(side))}
        lines = [self.header]
        for words, annotation, mentions in zip(self.sentences, self.annotation, self.mentions[side]):
            coreference = coreference_column(mentions, numbers, len(words))
            for n, word in enumerate(words):
                lines.append("\t".join([self.id, str(self.part), str(n), word, *annotation[n], coreference[n]]))
            lines.append("")
        lines.append("#end document")
        return "".join(line + "\n" for line in lines)

    def json_line(self, side):
        clusters = [[list(span) for span in spans] for spans in self.entities(side).values()]
        document = {
            "doc_key": f"{self.id}_{self.part}",
            "sentences": self.sentences,
            "speakers": [["-"] * len(words) for words in self.sentences],
            "clusters" if side == "key" else "predicted_clusters": clusters,
        }
        return json.dumps(document, ensure_ascii=False) + "\n"


# The labels of names; other named entities are dates and numbers.
NAMES = {"PERSON", "ORG", "GPE", "PRODUCT"}


def names(texts):
    """Returns the names in the trees by text: the sentence, the first and last word in it, and the label."""
    found = []
    for text in texts:
        nodes = [(number, node) for number, tree in enumerate(text.trees) for node in tree.walk()]
        found.append([(n, node.start, node.end, node.name) for n, node in nodes if node.name in NAMES])
    return found


def names_bio(texts):
    """Returns words and labels in columns, as in CoNLL-2003."""
    lines = []
    for text, found in zip(texts, names(texts)):
        lines += ["-DOCSTART- O", ""]
        for number, words in enumerate(text.sentences):
            labels = ["O"] * len(words)
            for sentence, start, end, name in found:
                if sentence == number:
                    labels[start : end + 1] = [f"B-{name}", *[f"I-{name}"] * (end - start)]
            lines += [f"{word} {label}" for word, label in zip(words, labels)] + [""]
    return "".join(line + "\n" for line in lines)


def names_json(texts):
    """Returns spans by sentence, with words counted over the text."""
    lines = []
    for text, found in zip(texts, names(texts)):
        offset, sentences = 0, []
        for number, words in enumerate(text.sentences):
            spans = [[offset + start, offset + end, name] for n, start, end, name in found if n == number]
            sentences.append(spans)
            offset += len(words)
        document = {"doc_key": f"{text.id}_{text.part}", "sentences": text.sentences, "ner": sentences}
        lines.append(json.dumps(document, ensure_ascii=False) + "\n")
    return "".join(lines)


def spans_in_column(conll):
    """Reads the entities of a built file from its coreference column alone, to check the writer."""
    documents, entities, open_starts, position = [], {}, {}, 0
    for line in conll.splitlines():
        if line.startswith("#begin"):
            entities, open_starts, position = {}, {}, 0
        elif line.startswith("#end"):
            if any(open_starts.values()):
                raise Mistake("a mention of the coreference column is not closed")
            documents.append(sorted(sorted(spans) for spans in entities.values()))
        elif line:
            cells = line.split("\t")
            if len(cells) != 13 or not all(cells):
                raise Mistake(f"not 13 columns: {line!r}")
            for item in cells[12].split("|") if cells[12] != "-" else []:
                number = item.strip("()")
                if item.startswith("("):
                    open_starts.setdefault(number, []).append(position)
                if item.endswith(")"):
                    entities.setdefault(number, []).append((open_starts[number].pop(), position))
            position += 1
    return documents


def build():
    texts = [Text(name) for name in TEXTS]
    files = {}
    for side in ["key", *SYSTEMS]:
        files[f"{side}.conll"] = "".join(text.conll(side) for text in texts)
        expected = [sorted(sorted(spans) for spans in text.entities(side).values()) for text in texts]
        if spans_in_column(files[f"{side}.conll"]) != expected:
            raise Mistake(f"{side}.conll does not read back as its source")
    for side in ["key", "alder"]:
        files[f"{side}.jsonlines"] = "".join(text.json_line(side) for text in texts)
    # The annotated part of the corpus, for the check of scores without a key.
    files["names/annotated.conll"] = "".join(text.conll("key") for text in texts[:2])
    files["names/names.bio"] = names_bio(texts)
    files["names/names.jsonlines"] = names_json(texts)
    other_columns = {
        name: [line.split("\t")[:12] for line in text.splitlines()]
        for name, text in files.items()
        if name.endswith(".conll") and "/" not in name
    }
    for name, rows in other_columns.items():
        if rows != other_columns["key.conll"]:
            raise Mistake(f"{name} differs from key.conll outside the coreference column")
    return files


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        files = build()
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
        return 1
    stale = []
    for name, text in files.items():
        path = HERE / name
        if arguments:
            if not path.exists() or path.read_bytes() != text.encode():
                stale.append(name)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
    if stale:
        print(f"out of date, run examples/build.py: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
