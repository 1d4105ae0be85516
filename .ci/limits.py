"""Times the command on inputs designed to be slow, at n, 2n and 4n, and prints the table of docs/limits.md.

usage: limits.py COMMAND [CASE...]
Times are processor seconds (user and system) of the whole process. The exponent follows from the times for n and
4n, less the time for an empty file: 1 is linear, 2 quadratic. Fails if a run takes more than 3 s, and an exponent is above 1.5 or an
input was refused.
"""
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

command = os.path.abspath(sys.argv[1])
chosen = sys.argv[2:]
COREFUD = "# global.Entity = eid-etype-head-other\n# newdoc id = a\n# sent_id = 1\n"


def conll(cells):
    return "#begin document (a); part 000\n" + "".join(f"w\t{cell}\n" for cell in cells) + "#end document\n"


def corefud(cells, nodes=""):
    """Returns a sentence of CorefUD with the MISC of each word; `nodes` follow the first word."""
    rows = [f"{word}\tw\tw\tX\t_\t_\t{word - 1}\tdep\t_\t{cell or '_'}\n" for word, cell in enumerate(cells, 1)]
    return COREFUD + rows[0] + nodes + "".join(rows[1:]) + "\n"


def nested(n):
    """Mentions that all end at the last word."""
    cells = [f"({place}" for place in range(n)]
    cells[-1] += "|" + "|".join(f"{place})" for place in reversed(range(n)))
    return conll(cells)


def one_head(n):
    """Mentions of the first word and more words each, all with that word as head."""
    opened = "".join(f"(e{place}-x-1-" for place in range(n))
    return corefud([f"Entity={opened}", *(f"Entity=e{place})" for place in range(n))])


def out_of_order(n):
    return corefud([*(f"Entity=(e{place}--1-" for place in range(n)), *(f"Entity=e{place})" for place in range(n))])


def never_closed(n):
    return corefud([f"Entity=(e{place}--1-" for place in range(n)])


def chain(n):
    """Empty nodes, each of which depends on the next."""
    parent = lambda number: f"1.{number + 1}" if number < n else "1"
    nodes = "".join(f"1.{number}\t_\t_\t_\t_\t_\t_\t_\t{parent(number)}:dep\tEntity=(e1--1-)\n" for number in range(1, n + 1))
    return corefud(["Entity=(e1--1-)", ""], nodes)


def one_parent(n):
    nodes = "".join(f"1.{number}\t_\t_\t_\t_\t_\t_\t_\t1:dep\tEntity=(e{number % 9}--1-)\n" for number in range(1, n + 1))
    return corefud(["Entity=(e1--1-)", ""], nodes)


def by_parse(n):
    """Nested mentions over an equally deep parse."""
    rows = [f"bc/a\t0\t{place}\tw\tNN\t(NP*\t-\t-\t-\t-\t*\t({place}\n" for place in range(n - 1)]
    closing = "|".join(f"{place})" for place in reversed(range(n - 1)))
    rows.append(f"bc/a\t0\t{n - 1}\tw\tNN\t(NN*{')' * n}\t-\t-\t-\t-\t*\t{closing}\n")
    return "#begin document (bc/a); part 000\n" + "".join(rows) + "\n#end document\n"


def muc(n):
    opened = "".join(f'<COREF ID={place} MIN="a a">a ' for place in range(n))
    return f"<DOC><DOCNO>1</DOCNO>{opened}a {'</COREF>' * n}</DOC>"


def ecb(n):
    deep = "<x>" * n + "</x>" * n
    rest = '<Markables><A m_id="1"><token_anchor t_id="1"/></A></Markables>'
    return f'<Document doc_name="1_1"><token t_id="1" sentence="0">a</token>{deep}{rest}</Document>'


def ecb_relations(n):
    """A chain of relations that joins all markables."""
    token = "".join(f'<token t_id="{number}" sentence="0">a</token>' for number in range(n))
    mark = "".join(f'<A m_id="{number}"><token_anchor t_id="{number}"/></A>' for number in range(n))
    link = "".join(
        f'<INTRA_DOC_COREF r_id="{number}"><source m_id="{number}"/><target m_id="{number + 1}"/></INTRA_DOC_COREF>'
        for number in range(n - 1)
    )
    return f'<Document doc_name="1_1">{token}<Markables>{mark}</Markables><Relations>{link}</Relations></Document>'


def splits(n):
    """Mentions with two antecedents each, of entities that no other mention has."""
    cells = []
    for place in range(n):
        one, other, both = (f"e{3 * place + number}" for number in range(3))
        cells += [f"Entity=({one}--1-)", f"Entity=({other}--1-)", f"Entity=({both}--1-)|SplitAnte={one}<{both},{other}<{both}"]
    return corefud(cells)


def distance(n):
    return conll([f"({place % 97})" for place in range(n)])


def large_id(n):
    document = lambda name, id: f"#begin document ({name});\nw\t({id})\n#end document\n"
    return "".join(document(name, 99_999 if name == 0 else 1) for name in range(n))


def many_entities(n):
    return conll(["|".join(f"({place})" for place in range(n)), "(0)"])


def brat(n):
    """Marks of all characters of a text of n words, each with the text that annotation tools cut off."""
    text = "a " * n
    marks = "".join(f"T{place}\tX 0 {2 * n - 1}\ta a\n" for place in range(1, n + 1))
    return {"a.ann": marks, "a.txt": text + "\n"}


def many_attributes(n):
    """Tags with almost as many attributes as are allowed."""
    several = " ".join(f'A{place}="1"' for place in range(90))
    return "<DOC><DOCNO>1</DOCNO>" + "".join(f'<COREF ID={place} {several}>a</COREF> ' for place in range(n)) + "</DOC>"


def too_many_attributes(n):
    several = " ".join(f'A{place}="1"' for place in range(n))
    return f"<DOC><DOCNO>1</DOCNO><COREF ID=1 {several}>a</COREF></DOC>"


def names_of_key(n):
    """Names of two words with the same first letters; those with the same first or last word could be the same."""
    tokens = [[f"F{place % 300}x", f"L{place // 300}y", "slept", "."] for place in range(n)]
    rows = []
    for number, sentence in enumerate(tokens):
        for place, word in enumerate(sentence):
            name = ("(PERSON*", "*)", "*", "*")[place]
            cell = (f"({number}", f"{number})", "-", "-")[place]
            rows.append(f"a\t0\t{place}\t{word}\tNNP\t*\t-\t-\t-\t-\t{name}\t{cell}\n")
        rows.append("\n")
    return {"a.conll": "#begin document (a); part 000\n" + "".join(rows) + "#end document\n"}


def linked_directories(n):
    """Directories that each have two links to the next, which makes 2^n paths."""
    files = {f"d/d{place}/{name}": pathlib.Path(f"../d{place + 1}") for place in range(n) for name in ("x", "y")}
    return {"d/a.conll": conll(["(0)", "(0)"]), f"d/d{n}/b.conll": conll(["(0)"]).replace("(a)", "(b)"), **files}


def unclosed_tags(n):
    return "<DOC>" + '<COREF ID="1">' * n + "\n"


def far_positions(n):
    document = '{"doc_key":"d%d","clusters":[[[0,9999998],[5,5]]]}\n'
    return "".join(document % number for number in range(n))


# The hostile feature, the name of the file or directory, its text for n (or several files), the smallest n, the arguments.
SCORE = ["score", "-q", "--allow-empty"]
KEEP = [*SCORE, "--singletons", "keep"]
CASES = {
    "mentions with one head": ("a.conllu", one_head, 40_000, [*KEEP, "--match", "head"]),
    "mentions with one head, partial matching": ("a.conllu", one_head, 40_000, [*KEEP, "--match", "partial"]),
    "nested mentions, mention overlap": ("a.conll", nested, 40_000, [*SCORE, "-m", "mention_overlap"]),
    # The next two are quadratic up to their limits.
    "nested mentions of one sentence, minimum spans by a deep parse": ("a.conll", by_parse, 1200, [*SCORE, "--match", "min-span"]),
    "a mention in many entities, last copy": ("a.conll", many_entities, 600, [*SCORE, "-m", "all", "--duplicates", "last"]),
    "CorefUD mentions that close out of order": ("a.conllu", out_of_order, 40_000, KEEP),
    "CorefUD mentions that never close": ("a.conllu", never_closed, 40_000, KEEP),
    "a chain of empty nodes": ("a.conllu", chain, 40_000, [*SCORE, "--zero-match", "dependent"]),
    "empty nodes of one parent": ("a.conllu", one_parent, 40_000, [*SCORE, "--zero-match", "dependent"]),
    "nested mentions of MUC with MIN": ("a.sgm", muc, 20_000, SCORE),
    "nested elements of ECB+": ("a.xml", ecb, 50_000, SCORE),
    "relations of ECB+": ("a.xml", ecb_relations, 20_000, SCORE),
    "split antecedents": ("a.conllu", splits, 10_000, [*KEEP, "--split-antecedents", "keep", "-m", "all"]),
    "distances": ("a.conll", distance, 200_000, [*SCORE, "--by", "distance"]),
    "documents after one with a large id": ("a.conll", large_id, 40_000, SCORE),
    "a mention in many entities": ("a.conll", many_entities, 20_000, [*SCORE, "-m", "all"]),
    "marks of brat over the whole text": ("a.ann", brat, 20_000, KEEP),
    "tags of MUC with 90 attributes": ("a.sgm", many_attributes, 1_000, KEEP),
    "a tag of MUC with many attributes": ("a.sgm", too_many_attributes, 20_000, KEEP),
    "many findings on one line": ("a.sgm", unclosed_tags, 10_000, ["validate"]),
    "documents of ten million positions without words, shown": ("a.jsonl", far_positions, 1_000, ["show"]),
    "documents of ten million positions without words, probed": ("a.jsonl", far_positions, 1_000, ["probe", "-q"]),
    # Quadratic up to a limit; docs/limits.md names it.
    "names with the same first letters, a key made from them": ("a.conll", names_of_key, 500, ["cone", "-q", "--key-approximate"]),
    "directories that link to the next twice": ("d", linked_directories, 10, KEEP),
}


def seconds(arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([command, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # `validate` exits with 1 if it finds anything.
    refused = next(iter(done.stderr.decode().splitlines()), "") if done.returncode else ""
    assert done.returncode in (0, 1, 2) and "panicked" not in refused, (arguments, done.stderr)
    return spent, refused


slow = []
start = min(seconds(["list"])[0] for _ in range(3))
print("| input | n | n | 2n | 4n | exponent |\n|---|---|---|---|---|---|")
with tempfile.TemporaryDirectory() as folder:
    for what, (name, text, least, arguments) in CASES.items():
        if chosen and what not in chosen:
            continue
        times, refusals = [], []
        for n in (least, 2 * least, 4 * least):
            inside = pathlib.Path(folder) / f"{len(os.listdir(folder))}"
            inside.mkdir()
            made = text(n)
            for path, content in (made if isinstance(made, dict) else {name: made}).items():
                file = inside / path
                file.parent.mkdir(parents=True, exist_ok=True)
                if isinstance(content, pathlib.Path):
                    file.symlink_to(content)
                else:
                    file.write_text(content, encoding="utf-8")
            # A key made from names needs no other key.
            inputs = [str(inside / name)] * (1 if "--key-approximate" in arguments or arguments == ["validate"] else 2)
            spent, refused = seconds([*arguments, *inputs])
            times.append(spent)
            refusals.append(refused)
        own = [max(spent - start, 1e-3) for spent in times]
        exponent = math.log(own[2] / own[0], 4)
        cells = " | ".join(f"{spent:.2f} s{' (refused)' if refused else ''}" for spent, refused in zip(times, refusals))
        print(f"| {what} | {least:,} | {cells} | {'–' if any(refusals) else f'{exponent:.1f}'} |", flush=True)
        for refused in refusals[-1:]:
            print(refused, file=sys.stderr) if refused else None
        # If an input has a limit, the largest one is refused, and smaller ones are fast.
        if max(own) > 3 and (exponent > 1.5 or any(refusals)):
            slow.append(what)
for what in slow:
    print(f"too slow: {what}", file=sys.stderr)
sys.exit(bool(slow))
