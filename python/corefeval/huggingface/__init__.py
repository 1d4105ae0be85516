"""A metric for Hugging Face ``evaluate``, with the arguments and results of its ``coval``.

    import evaluate
    from corefeval.huggingface import METRIC
    metric = evaluate.load(METRIC)
    metric.compute(predictions=[lines], references=[lines])

Each element of ``predictions`` and ``references`` is a list of lines in the CoNLL format. All lines contain a word, except
``#begin document`` and ``#end document`` lines. The document of a line is determined

- by its first two columns, document and part, if all lines have these; an element can then be a sentence of a document,
  a document, or a file with several documents;
- otherwise by its element, which is one document, or several if it has several ``#begin document`` lines.

``elements="documents"`` makes each element a separate document regardless of its columns, or several if it has several
``#begin document`` lines. ``elements="sentences"`` makes all elements one document, as in the original, so that entities with
equal numbers are merged.
"""

from __future__ import annotations

import pathlib
import re
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from .._counting import CONLL_PARTS
from .._wording import parts
from ..coval.util import HINT, _parsed
from ..exceptions import CorefevalError, CorefevalWarning, InputTypeError, InputValueError, SettingsError, UnparsedError
from ..report import Finding
from ..scoring import score_files

__all__ = ["METRIC", "score_lines"]

#: The folder to pass to ``evaluate.load``.
METRIC = str(pathlib.Path(__file__).parent / "corefeval_metric")

#: coval's names of the metrics.
_NAMES = {"mentions": "mentions", "muc": "muc", "b_cubed": "bcub", "ceaf_e": "ceafe", "lea": "lea"}

_ELEMENTS = ("auto", "documents", "sentences")
_BEGIN, _END = "#begin document", "#end document"


def _columns(text: str) -> list[str]:
    """Returns the columns of a line. Words can contain other kinds of spaces."""
    return re.split(r"[ \t]+", text.strip(" \t"))


class _Line(NamedTuple):
    """A line and its place: the element, from 0, and the line in it, from 1. The text is empty at the end of a sentence."""

    element: int
    number: int
    text: str

    def document(self) -> str | None:
        """Returns the document in the first two columns, if the line starts with a name, a part and the number of a word."""
        columns = _columns(self.text)
        if len(columns) < 5 or not (columns[1].isdecimal() and columns[2].isdecimal()):
            return None
        return f"({columns[0]}); part {int(columns[1]):03}"


class _Block(NamedTuple):
    """The lines after a ``#begin document`` line, or of an element without such a line."""

    name: str | None
    lines: list[_Line]


#: Documents by the text after ``#begin document``; the reader reports a name that occurs twice.
_Documents = list[tuple[str, list[_Line]]]


def _blocks(elements: Iterable[Iterable[str]], side: str) -> list[list[_Block]]:
    """Returns the blocks of each element."""
    found = []
    for number, element in enumerate(elements):
        if isinstance(element, (str, bytes)) or not isinstance(element, Iterable):
            hint = "each element is a list of lines: text.splitlines()"
            raise InputTypeError(f"{side}[{number}] is a {type(element).__name__}, not lines", code="input", hint=hint)
        blocks = [_Block(None, [])]
        for place, text in enumerate(element, 1):
            text = text.rstrip("\r\n") if isinstance(text, str) else text
            if not isinstance(text, str) or "\n" in text or "\r" in text:
                what = "several lines" if isinstance(text, str) else f"a {type(text).__name__}"
                message = f"line {place} of {side}[{number}] is {what}, not a line"
                raise InputTypeError(message, code="input", hint="each element is a list of lines: text.splitlines()")
            if text.startswith(_BEGIN):
                blocks.append(_Block(text[len(_BEGIN) :].strip(), []))
            elif text.startswith(_END):
                blocks.append(_Block(None, []))
            else:
                # Here, text that starts with # is a word, not a comment.
                text = "\t".join(_columns(text)) if text.startswith("#") else text
                blocks[-1].lines.append(_Line(number, place, text))
        found.append([block for block in blocks if block.name is not None or any(l.text.strip() for l in block.lines)])
    return found


def _by_columns(elements: list[list[_Block]], side: str) -> _Documents:
    """Groups lines into documents by their first two columns."""
    documents: dict[str, list[_Line]] = {}
    begun: dict[str, int] = {}
    for number, blocks in enumerate(elements):
        for block in blocks:
            if block.name is not None and block.name in begun:
                message = f"{side}[{number}] begins `{block.name}`, which {side}[{begun[block.name]}] has already begun"
                raise InputValueError(message, code="input", hint="give each document a unique id or part number")
            if block.name is not None:
                begun[block.name] = number
            own: dict[str, list[_Line]] = {}
            name = None
            for line in block.lines:
                name = line.document() or name
                if name is not None:
                    own.setdefault(name, []).append(line)
            for name, lines in own.items():
                # A block ends a sentence.
                documents.setdefault(name, []).extend([*lines, lines[-1]._replace(text="")])
    return list(documents.items())


def _by_element(elements: list[list[_Block]], others: list[list[_Block]], apart: bool) -> _Documents:
    """Groups lines into documents by element, and within elements by ``#begin document`` lines, or by columns if ``apart`` is
    true. The only block of an element is named by its index, unless both sides name it."""
    documents: _Documents = []
    for number, (blocks, counterpart) in enumerate(zip(elements, others)):
        named = all(block.name is not None for block in (*blocks, *counterpart))
        for block in blocks or [_Block(None, [])]:
            parts: dict[str | None, list[_Line]] = {}
            part = None
            for line in block.lines:
                part = (line.document() or part) if apart else None
                parts.setdefault(part, []).append(line)
            for part, lines in (parts or {None: []}).items():
                if apart and part is not None:
                    # Several elements can contain the same document.
                    name = part.replace("(", f"({number}: ", 1)
                elif block.name is not None and (named or len(blocks) > 1):
                    name = block.name
                else:
                    name = f"(document {number}); part 000"
                documents.append((name, lines))
    return documents


def _as_one(elements: list[list[_Block]], side: str) -> _Documents:
    """Returns all elements as the sentences of one document."""
    lines: list[_Line] = []
    for number, blocks in enumerate(elements):
        for block in blocks:
            if block.name is not None:
                message = f"{side}[{number}] begins the document `{block.name}`, but elements are sentences of one"
                hint = 'leave out the `#begin document` lines, or elements="sentences"'
                raise InputValueError(message, code="input", hint=hint)
            lines += [*block.lines, block.lines[-1]._replace(text="")]
    return [("(document); part 000", lines)]


def _documents(sides: dict[str, Sequence[Iterable[str]]], elements: str) -> dict[str, _Documents]:
    """Returns the documents of each side."""
    blocks = {side: _blocks(given, side) for side, given in sides.items()}
    if elements == "sentences":
        return {side: _as_one(found, side) for side, found in blocks.items()}
    words = {
        side: [line for of in found for block in of for line in block.lines if line.text.strip()]
        for side, found in blocks.items()
    }
    # True if all lines of a side have document columns.
    by_columns = {side: bool(lines) and all(line.document() for line in lines) for side, lines in words.items()}
    if elements == "auto" and any(by_columns.values()):
        for side, lines in words.items():
            if lines and not by_columns[side]:
                first = next(line for line in lines if not line.document())
                other = next(name for name in by_columns if by_columns[name])
                message = f"a line lacks the columns of document, part and word number, which all lines of {other} have"
                hint = 'give both sides the same columns, or pass elements="documents" or elements="sentences"'
                place: dict[str, Any] = {"file": f"{side}[{first.element}]", "line": first.number}
                raise InputValueError(message, code="input", hint=hint, **place)
        return {side: _by_columns(found, side) for side, found in blocks.items()}
    references, predictions = blocks["references"], blocks["predictions"]
    apart = all(by_columns.values())
    return {
        "references": _by_element(references, predictions, apart),
        "predictions": _by_element(predictions, references, apart),
    }


class _File:
    """A side as a file, with the elements of its lines."""

    def __init__(self, path: pathlib.Path, side: str, documents: _Documents) -> None:
        self.path = path
        self.side = side
        self._places: list[_Line | None] = []
        text = []
        for name, lines in documents:
            rows = [f"{_BEGIN} {name}", *(line.text for line in lines), _END]
            text += rows
            ends = (lines[0], lines[-1]) if lines else (None, None)
            self._places += [ends[0], *lines, ends[1]]
        path.write_text("\n".join(text) + "\n", encoding="utf-8")

    def place(self, line: int | None) -> tuple[str, int | None]:
        """Returns the element of a line of the file, and the line in the element."""
        found = self._places[line - 1] if line is not None and 0 < line <= len(self._places) else None
        return (f"{self.side}[{found.element}]", found.number) if found else (self.side, None)

    def described(self, line: int) -> str:
        """Returns the place of a line of the file for a message."""
        element, number = self.place(line)
        return element if number is None else f"line {number} of {element}"


#: Options in messages, as keywords of this function.
_SPELT = {
    ("singletons", "drop"): "keep_singletons=False",
    ("singletons", "keep"): "keep_singletons=True",
    ("match", "min-span"): "min_span=True",
    ("match", "exact"): "min_span=False",
    ("np-only", None): "NP_only=True",
    ("remove-nested", None): "remove_nested=True",
}


class _Files:
    """Both sides as files. Findings about the files are reworded for the elements."""

    def __init__(self, folder: str, documents: dict[str, _Documents]) -> None:
        self.files = {side: _File(pathlib.Path(folder, side), side, found) for side, found in documents.items()}

    def _of(self, file: str | None) -> _File | None:
        return next((found for found in self.files.values() if str(found.path) == file), None)

    def place(self, file: str | None, line: int | None) -> tuple[str | None, int | None]:
        """Returns the element and its line for a file and its line."""
        found = self._of(file)
        return (file, line) if found is None else found.place(line)

    def message(self, text: str) -> str:
        """Rewords a message with places in elements and the keywords of this module. Options that it lacks are named as those
        of :func:`corefeval.score`."""
        message = "".join(part if isinstance(part, str) else self._word(*part) for part in parts(text))
        for found in self.files.values():
            message = message.replace(str(found.path), found.side)
        return message

    def _word(self, kind: str, *given: Any) -> str:
        """Rewords a part of a message."""
        if kind in ("place", "line"):
            file, line, _ = given[0]
            found = self._of(file)
            return f"line {line}" if found is None else found.described(line)
        if kind == "quoted":
            return f"`{given[0]}`"
        if kind in ("build", "path"):
            return "corefeval"
        name, *value, keyword = given
        spelt = _SPELT.get((name, value[0] if value else None))
        if spelt is None:
            return f"corefeval.score({keyword})" if "=" in keyword else f"`{keyword}` of corefeval.score"
        return f"`{spelt}`" if kind == "name" else spelt

    def finding(self, finding: Finding) -> str:
        """Returns the message of a warning."""
        first = finding.places[0] if finding.places else None
        words = self.message(finding.summary if first is None else first["message"])
        more = f" (and {finding.count - 1} more)" if finding.count > 1 else ""
        message = f"{words}{more} [{finding.code}]; {self.message(finding.remedy)}"
        if first is None or first["file"] is None:
            return message
        element, line = self.place(first["file"], first["line"])
        return f"{element}: {message}" if line is None else f"{element}:{line}: {message}"

    def error(self, error: CorefevalError) -> CorefevalError:
        """Returns the error to raise."""
        hint = None if error.hint is None else self.message(error.hint)
        element, line = self.place(error.file, error.line)
        return type(error)(
            self.message(error.message),
            file=element,
            line=line,
            column=error.column if line is not None else None,
            code=error.code,
            hint=hint,
            related=map(self.message, error.related),
        )


def score_lines(
    *,
    predictions: Sequence[Iterable[str]],
    references: Sequence[Iterable[str]],
    keep_singletons: bool = True,
    NP_only: bool = False,
    min_span: bool = False,
    remove_nested: bool = False,
    elements: Literal["auto", "documents", "sentences"] = "auto",
    quiet: bool = False,
) -> dict[str, float]:
    """Scores CoNLL lines with coval's rules.

    Returns ``mentions/recall``, ``mentions/precision``, ``mentions/f1``, the corresponding scores of ``muc``, ``bcub``,
    ``ceafe`` and ``lea`` as fractions, and ``conll_score`` in percent.

    Args:
        predictions, references: lists of lines.
        keep_singletons: whether to keep clusters with one mention.
        NP_only: drops mentions that are verb phrases in the parse of the references.
        min_span: compares mentions by their minimum spans, which the parse of the references determines.
        remove_nested: drops mentions within another mention of their cluster.
        elements: the meaning of an element; see the module.
        quiet: issues no :class:`corefeval.CorefevalWarning`.

    Raises:
        FormatError, PairingError, InputValueError, InputTypeError: with the element and the line in it.
        UnparsedError: ``NP_only`` or ``min_span`` if a document of the references has no parse.
    """
    if elements not in _ELEMENTS:
        message = f"`{elements}` is not a valid value for `elements`"
        raise SettingsError(message, code="settings", hint=f"its values are {', '.join(_ELEMENTS)}")
    if len(predictions) != len(references):
        message = f"there are {len(references)} references and {len(predictions)} predictions"
        raise InputValueError(message, code="input", hint="give a list of lines for each document, or each sentence")
    documents = _documents({"references": references, "predictions": predictions}, elements)
    if not documents["references"]:
        hint = "give a list of lines for each document, or each sentence"
        raise InputValueError("there are no lines", code="input", hint=hint)
    if NP_only or min_span:
        for name, lines in documents["references"]:
            if lines and not _parsed(line.text for line in lines):
                place: dict[str, Any] = {"file": f"references[{lines[0].element}]", "line": lines[0].number}
                raise UnparsedError(f"the document `{name}` has no parse", code="settings", hint=HINT, **place)
    with tempfile.TemporaryDirectory() as folder:
        files = _Files(folder, documents)
        options: dict[str, Any] = {"np_only": NP_only, "remove_nested": remove_nested}
        try:
            report = score_files(
                key=files.files["references"].path,
                response=files.files["predictions"].path,
                format="conll",
                profile="coval",
                singletons="keep" if keep_singletons else "drop",
                match="min-span" if min_span else "exact",
                quiet=True,
                **options,
            )
        except CorefevalError as error:
            raise files.error(error) from None
    if not quiet:
        for finding in report.warnings:
            warnings.warn(files.finding(finding), CorefevalWarning, stacklevel=2)
    scores = {}
    for metric, name in _NAMES.items():
        found = report[metric]
        scores.update({f"{name}/{field}": getattr(found, field) for field in ("recall", "precision", "f1")})
    # Undefined scores count as 0 in the mean, as in the original.
    scores["conll_score"] = 100 * sum(report[metric].f1 for metric in CONLL_PARTS) / len(CONLL_PARTS)
    return scores
