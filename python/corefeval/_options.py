"""The keywords of the functions, which are the options of the command.

Generated from the command line by crates/corefeval/tests/it/python.rs with COREFEVAL_BLESS=1 ./test.
"""

import os
from collections.abc import Iterable
from typing import Annotated, Literal, TypedDict

#: The name of a file or directory.
Path = str | os.PathLike[str]


class Options(TypedDict, total=False):
    """Keywords that all functions take."""

    profile: Annotated[Literal["conll", "coval", "corefud", "ua", "ua-corefud", "scorch", "e2e", "semeval-2010", "conll-2011", "conll-2012", "craft-2019", "codi-crac-2021-anaphora", "codi-crac-2021-bridging", "codi-crac-2021-deixis", "codi-crac-2022-anaphora", "codi-crac-2022-bridging", "codi-crac-2022-deixis", "crac-2022", "crac-2023", "crac-2024", "crac-2025", "muc", "ace-2005", "ace-2007", "ace-2008", "ace-2004", "ace-2003"] | None, "The scorer or shared task whose rules apply", "by format", "; see `corefeval list profiles`"]
    match: Annotated[Literal["exact", "head", "partial", "craft", "min-span", "overlap", "muc"] | None, "How key and response mentions are matched"]
    match_details: Annotated[Literal["ua-2.0", "corefud-1.2"] | None, "The version of the scorer that partial matching follows (conll-ua)"]
    singletons: Annotated[Literal["keep", "drop"] | None, "Entities with one mention"]
    zeros: Annotated[Literal["keep", "drop"] | None, "Mentions whose head is not in the text"]
    zero_match: Annotated[Literal["linear", "dependent", "dependent-1.2"] | None, "How zeros match"]
    split_antecedents: Annotated[Literal["drop", "keep", "only"] | None, "Antecedents that consist of several entities"]
    split_parts: Annotated[Literal["scored", "whole"] | None, "The mentions of the parts of split antecedents"]
    optional: Annotated[Literal["count", "if-found"] | None, "How to count optional mentions of the key (muc)"]
    order: Annotated[Literal["singletons-first", "zeros-first"] | None, "The order in which mentions are dropped"]
    duplicates: Annotated[Literal["first", "last", "last-sets", "distinct"] | None, "The copy of a repeated mention that counts"]
    extra_mentions: Annotated[Literal["count", "in-key"] | None, "How to count mentions that only the response has"]
    np_only: Annotated[bool | None, "Drop mentions that are verb phrases in the key's parse"]
    remove_nested: Annotated[bool | None, "Drop mentions nested in another mention of their entity"]
    place: Annotated[Literal["document", "sentence"] | None, "How the position of a mention is counted"]
    pair_documents: Annotated[Literal["auto", "id", "order"] | None, "How the documents of key and response are paired"]
    missing_documents: Annotated[Literal["count", "skip"] | None, "How to count key documents that the response lacks"]
    check_tokens: Annotated[bool | Literal["yes", "warn", "no"] | None, "Check that key and response have the same words"]
    align: Annotated[Literal["auto", "words", "characters", "text"] | None, "How much the text of a response may differ from the key's"]
    notation: Annotated[Literal["auto", "pipe", "link", "first", "colon", "hash", "double", "subscript", "bar", "antecedent", "attribute", "element", "seq2seq", "corefinst", "strings", "own-text"] | None, "How the answer of a language model writes its mentions"]
    extra_zeros: Annotated[Literal["drop", "spurious"] | None, "Empty nodes of an answer that the key lacks"]
    scope: Annotated[Literal["document", "topic", "corpus"] | None, "The documents across which entities are compared"]
    blanc: Annotated[Literal["key", "either", "scorch"] | None, "The halves of BLANC that count if one has no links"]
    ceaf_singletons: Annotated[Literal["both", "key-only"] | None, "The singletons that CEAF φ4 counts"]
    average: Annotated[Literal["micro", "macro", "mentions"] | None, "How the scores of documents are combined"]
    entities: Annotated[Literal["all", "named"] | None, "The entities to score"]
    named: Annotated[Literal["auto", "mention-type", "ne-column", "upos", "file", "rules"] | None, "The annotation that decides whether a mention is named (CONE)"]
    name_match: Annotated[Literal["head", "span"] | None, "The part of a mention that must be a name (CONE)"]
    span_end: Annotated[Literal["inclusive", "exclusive"] | None, "The meaning of the second number of a span (jsonlines)"]
    boundary_crossing: Annotated[bool | None, "Mentions may cross: closing brackets name their mention (conll-ua)"]
    annotation: Annotated[Literal["identity", "discourse-deixis"] | None, "The annotation to score (conll-ua)"]
    ace: Annotated[Literal["2005", "2007", "2008", "2004", "2003"] | None, "The evaluation whose rules and parameters ACE-value uses"]
    span_end_of: Annotated[str | Iterable[str] | None, "The meaning of the second number of a span in one input, by its name: ada=exclusive (jsonlines)"]
    min_aligned: Annotated[str | None, "Minimum share of a response's text that must match the key's; a document below it is refused", "0.5", ""]
    ne_labels: Annotated[Path | None, "Labels of named entities, BIO in columns or JSON lines, over the key's words (CONE)"]
    ace_parameters: Annotated[Path | None, "Changed parameters of ACE-value, in TOML; see `corefeval list ace`"]
    weights: Annotated[Path | None, "Weights by type of mention and entity, in TOML, or `ace`; adds the metrics that use them"]
    settings: Annotated[str | None, "Applies all settings of the signature of an earlier report"]
    strict: Annotated[bool | None, "Makes every warning an error"]
    threads: Annotated[int | None, "The maximum number of threads", "all cores", "; the result does not depend on it"]
    max_memory: Annotated[str | None, "The maximum memory while reading, for example 2G", "nine tenths of the machine's", ""]


class FileOptions(TypedDict, total=False):
    """Keywords that all functions take that read files."""

    format: Annotated[Literal["auto", "webanno", "brat", "apf", "ecb+", "muc", "conll-ua", "corefud", "semeval", "conll", "json-answer", "json", "jsonlines", "table", "links", "pipe", "bracketed", "bracketed:link", "bracketed:first", "bracketed:colon", "bracketed:hash", "bracketed:double", "bracketed:subscript", "bracketed:bar", "bracketed:antecedent", "tagged", "tagged:attribute", "tagged:element", "tagged:seq2seq", "tagged:corefinst"] | None, "Format of both sides", "detected from the file", "; see `corefeval list formats`"]
    include: Annotated[str | None, "Reads only the files of directories that match, for example '*.conll'"]
    key_format: Annotated[Literal["auto", "webanno", "brat", "apf", "ecb+", "muc", "conll-ua", "corefud", "semeval", "conll", "json-answer", "json", "jsonlines", "table", "links", "pipe", "bracketed", "bracketed:link", "bracketed:first", "bracketed:colon", "bracketed:hash", "bracketed:double", "bracketed:subscript", "bracketed:bar", "bracketed:antecedent", "tagged", "tagged:attribute", "tagged:element", "tagged:seq2seq", "tagged:corefinst"] | None, "Format of the key"]
    ids_by_file: Annotated[bool | None, "Prefix document ids with their file (`en_gum/GUM_1`), for files that use the same ids"]
    allow_empty: Annotated[bool | None, "Accepts files without mentions, which are otherwise an error"]


class ScorerOptions(Options, total=False):
    """Keywords of ``Scorer``."""

    metrics: Annotated[str | Iterable[str] | Iterable[str | Iterable[str]] | None, "Metrics, joined by commas, or `all`; `-ID` leaves one out", "by profile", "; see `corefeval list metrics`"]
    key_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the key (jsonlines)"]
    response_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the response (jsonlines)"]
    ceaf_bound: Annotated[str | None, "Lets CEAF φ3 and φ4 stop at a gap (0.001), a time (10s) or either (0.001,10s), with proven bounds"]


class ScoreOptions(ScorerOptions, total=False):
    """Keywords of ``score``."""

    by: Annotated[str | Iterable[str] | None, "Adds scores by group, or by two groupings crossed (genre,entity-size)"]


class ScoreFilesOptions(ScoreOptions, FileOptions, total=False):
    """Keywords of ``score_files``."""

    response_format: Annotated[Literal["auto", "webanno", "brat", "apf", "ecb+", "muc", "conll-ua", "corefud", "semeval", "conll", "json-answer", "json", "jsonlines", "table", "links", "pipe", "bracketed", "bracketed:link", "bracketed:first", "bracketed:colon", "bracketed:hash", "bracketed:double", "bracketed:subscript", "bracketed:bar", "bracketed:antecedent", "tagged", "tagged:attribute", "tagged:element", "tagged:seq2seq", "tagged:corefinst"] | None, "Format of the responses"]
    pair_files: Annotated[bool | None, "Pair the files of two directories by name and score each pair; the macro average is over pairs"]


class CompareOptions(Options, total=False):
    """Keywords of ``compare``."""

    metrics: Annotated[str | Iterable[str] | Iterable[str | Iterable[str]] | None, "Metrics, joined by commas, or `all`; `-ID` leaves one out", "by profile", "; see `corefeval list metrics`"]
    key_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the key (jsonlines)"]
    response_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the response (jsonlines)"]
    by: Annotated[str | Iterable[str] | None, "Compares the systems on each group of documents too"]
    skip_broken: Annotated[bool | None, "Leaves out systems that cannot be read or compared, with a warning instead of an error"]
    baseline: Annotated[str | None, "The system that the others are compared with", "the first", ""]
    sort: Annotated[str | None, "The metric that the rows are sorted by", "conll, otherwise the first", ""]
    test: Annotated[Literal["randomization", "bootstrap"] | None, "How the difference of two systems is tested", "randomization", ""]
    unit: Annotated[Literal["part", "document", "topic", "file"] | None, "The unit that resampling draws as a whole", "document", ""]
    resamples: Annotated[int | None, "The number of resamples of each kind, from 1 to 1000000", "10000", ""]
    seed: Annotated[int | None, "The seed of the pseudo-random numbers, a whole number", "2016", ""]
    correction: Annotated[Literal["holm", "bonferroni", "none"] | None, "How p-values are corrected for the number of comparisons", "holm", ""]
    family: Annotated[Literal["metric", "all"] | None, "The comparisons that are corrected together", "metric", ""]
    ranks: Annotated[Literal["pairs", "neighbours"] | None, "The rule by which systems share a rank", "pairs", ""]
    interval: Annotated[Literal["auto", "bca", "percentile", "expanded", "basic", "student"] | None, "How confidence intervals are computed", "auto", ""]
    confidence: Annotated[float | None, "The level of intervals, from 0.5 to 0.9999; differences are significant at 1 minus this level", "0.95", ""]
    plan: Annotated[float | None, "Shows how many documents are needed to find a difference of this many percentage points of F1"]
    shared_documents: Annotated[bool | None, "Compares on the documents that all systems have; without it, a missing document is an error"]


class CompareFilesOptions(CompareOptions, FileOptions, total=False):
    """Keywords of ``compare_files``."""

    response_format: Annotated[Literal["auto", "webanno", "brat", "apf", "ecb+", "muc", "conll-ua", "corefud", "semeval", "conll", "json-answer", "json", "jsonlines", "table", "links", "pipe", "bracketed", "bracketed:link", "bracketed:first", "bracketed:colon", "bracketed:hash", "bracketed:double", "bracketed:subscript", "bracketed:bar", "bracketed:antecedent", "tagged", "tagged:attribute", "tagged:element", "tagged:seq2seq", "tagged:corefinst"] | None, "Format of the responses"]
    systems: Annotated[Path | Iterable[Path] | None, "A directory in which each file or directory is a system; may be given several times"]
    runs: Annotated[Path | Iterable[Path] | None, "A directory in which each file or directory is a run of a system; may be given several times"]
    cache: Annotated[Path | None, "Caches the counts of each system in this folder, so that only new systems are scored"]


class AgreeOptions(Options, total=False):
    """Keywords of ``agree``."""

    metrics: Annotated[str | Iterable[str] | Iterable[str | Iterable[str]] | None, "Metrics, joined by commas, or `all`; `-ID` leaves one out", "by profile", "; see `corefeval list metrics`"]
    by: Annotated[str | Iterable[str] | None, "Adds the agreement on each document [document]"]
    unit: Annotated[Literal["part", "document", "topic", "file"] | None, "The unit that resampling draws as a whole", "document", ""]
    resamples: Annotated[int | None, "The number of resamples of each kind, from 1 to 1000000", "10000", ""]
    seed: Annotated[int | None, "The seed of the pseudo-random numbers, a whole number", "2016", ""]
    interval: Annotated[Literal["auto", "bca", "percentile", "expanded", "basic", "student"] | None, "How confidence intervals are computed", "auto", ""]
    confidence: Annotated[float | None, "The level of intervals, from 0.5 to 0.9999; differences are significant at 1 minus this level", "0.95", ""]
    shared_documents: Annotated[bool | None, "Compares on the documents that all annotators have; without it, a missing document is an error"]


class AgreeFilesOptions(AgreeOptions, FileOptions, total=False):
    """Keywords of ``agree_files``."""


class CorrelateOptions(Options, total=False):
    """Keywords of ``correlate``."""

    than: Annotated[str | None, "A third metric: tests whether the first follows the second more closely than the third does"]
    over: Annotated[str | Iterable[str] | None, "Kinds of points, joined by commas: documents, pooled, systems, entities", "all that are possible", ""]
    correlation_interval: Annotated[Literal["auto", "expanded", "student", "bca", "percentile", "fisher"] | None, "How intervals of correlations are computed", "auto", ""]
    unit: Annotated[Literal["part", "document", "topic", "file"] | None, "The unit that resampling draws as a whole", "document", ""]
    resamples: Annotated[int | None, "The number of resamples of each kind, from 1 to 1000000", "2000", ""]
    seed: Annotated[int | None, "The seed of the pseudo-random numbers, a whole number", "2016", ""]
    confidence: Annotated[float | None, "The level of intervals, from 0.5 to 0.9999; differences are significant at 1 minus this level", "0.95", ""]
    points: Annotated[bool | None, "Lists the points: in JSON together with the coefficients, in CSV instead of them"]
    shared_documents: Annotated[bool | None, "Uses the documents that all systems have; without it, a missing document is an error"]
    key_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the key (jsonlines)"]
    response_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the response (jsonlines)"]


class CorrelateFilesOptions(CorrelateOptions, FileOptions, total=False):
    """Keywords of ``correlate_files``."""

    response_format: Annotated[Literal["auto", "webanno", "brat", "apf", "ecb+", "muc", "conll-ua", "corefud", "semeval", "conll", "json-answer", "json", "jsonlines", "table", "links", "pipe", "bracketed", "bracketed:link", "bracketed:first", "bracketed:colon", "bracketed:hash", "bracketed:double", "bracketed:subscript", "bracketed:bar", "bracketed:antecedent", "tagged", "tagged:attribute", "tagged:element", "tagged:seq2seq", "tagged:corefinst"] | None, "Format of the responses"]


class ConeOptions(Options, total=False):
    """Keywords of ``cone``."""

    key_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the key (jsonlines)"]
    response_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the response (jsonlines)"]
    by: Annotated[str | Iterable[str] | None, "Adds scores by group, or by two groupings crossed (genre,entity-size)"]
    metrics: Annotated[str | Iterable[str] | Iterable[str | Iterable[str]] | None, "Metrics, joined by commas, or `all`; `-ID` leaves one out", "b_cubed,ceaf_m,cone_b_cubed,cone_ceaf", "; see `corefeval list metrics`"]
    heuristics: Annotated[str | Iterable[str] | None, "Heuristics that cluster names, joined by commas", "all", ""]
    without: Annotated[str | Iterable[str] | None, "Heuristics to leave out, joined by commas"]
    write_key: Annotated[Path | None, "Writes the key made from the names of the first response to this file"]
    read_key: Annotated[Path | None, "Scores against a key of names written by write_key, possibly corrected, instead of making one"]
    write_format: Annotated[Literal["webanno", "brat", "apf", "ecb+", "muc", "conll-ua", "corefud", "semeval", "conll", "json", "jsonlines", "table", "links"] | None, "Format of the key that is written"]
    unit: Annotated[Literal["part", "document", "topic", "file"] | None, "The unit that resampling draws as a whole", "document", ""]
    resamples: Annotated[int | None, "The number of resamples of each kind, from 1 to 1000000", "10000", ""]
    seed: Annotated[int | None, "The seed of the pseudo-random numbers, a whole number", "2016", ""]
    interval: Annotated[Literal["auto", "bca", "percentile", "expanded", "basic", "student"] | None, "How confidence intervals are computed", "auto", ""]
    confidence: Annotated[float | None, "The level of intervals, from 0.5 to 0.9999; differences are significant at 1 minus this level", "0.95", ""]
    smallest: Annotated[int | None, "Leaves out entities with fewer mentions", "1", ""]


class ConeFilesOptions(ConeOptions, FileOptions, total=False):
    """Keywords of ``cone_files``."""

    response_format: Annotated[Literal["auto", "webanno", "brat", "apf", "ecb+", "muc", "conll-ua", "corefud", "semeval", "conll", "json-answer", "json", "jsonlines", "table", "links", "pipe", "bracketed", "bracketed:link", "bracketed:first", "bracketed:colon", "bracketed:hash", "bracketed:double", "bracketed:subscript", "bracketed:bar", "bracketed:antecedent", "tagged", "tagged:attribute", "tagged:element", "tagged:seq2seq", "tagged:corefinst"] | None, "Format of the responses"]


class ErrorsOptions(Options, total=False):
    """Keywords of ``errors``."""

    tree: Annotated[Literal["accessibility", "closest", "decisions"] | None, "The antecedent shown for a link error", "accessibility", ""]
    kinds: Annotated[str | Iterable[str] | None, "Kinds of errors to show, joined by commas", "all", ""]
    examples: Annotated[int | None, "The number of examples for each kind", "2", ""]
    language: Annotated[Literal["en", "ar", "de", "es", "fr", "ru", "zh", "none"] | None, "Language of text without parts of speech, `none` for any other", "detected by its pronouns", ""]
    types: Annotated[Literal["head", "cort"] | None, "The word that determines the type of a mention", "head", ""]
    key_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the key (jsonlines)"]
    response_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the response (jsonlines)"]
    metrics: Annotated[str | Iterable[str] | Iterable[str | Iterable[str]] | None, "Metrics that measure the cost of errors, joined by commas", "by profile", "; see `corefeval list metrics`"]


class ErrorsFilesOptions(ErrorsOptions, FileOptions, total=False):
    """Keywords of ``errors_files``."""

    response_format: Annotated[Literal["auto", "webanno", "brat", "apf", "ecb+", "muc", "conll-ua", "corefud", "semeval", "conll", "json-answer", "json", "jsonlines", "table", "links", "pipe", "bracketed", "bracketed:link", "bracketed:first", "bracketed:colon", "bracketed:hash", "bracketed:double", "bracketed:subscript", "bracketed:bar", "bracketed:antecedent", "tagged", "tagged:attribute", "tagged:element", "tagged:seq2seq", "tagged:corefinst"] | None, "Format of the responses"]


class ExplainOptions(Options, total=False):
    """Keywords of ``explain``."""

    profiles: Annotated[str | Iterable[str] | None, "Profiles, joined by commas; the first is compared with each of the others", "the format's, and conll, or coval and e2e", ""]
    find: Annotated[str | float | Iterable[str | float] | None, "Searches for settings that print these percentages: 62.03, or conll=62.03,muc.recall=70.1"]
    against: Annotated[Path | None, "Explains the output of another scorer: the reference scorer, coval, corefud-scorer or the Universal Anaphora scorer"]
    examples: Annotated[int | None, "The number of mentions for each step", "3, or 1 if there are more than two steps", ""]
    metrics: Annotated[str | Iterable[str] | Iterable[str | Iterable[str]] | None, "Metrics, joined by commas, or `all`; `-ID` leaves one out", "by profile", "; see `corefeval list metrics`"]
    key_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the key (jsonlines)"]
    response_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the response (jsonlines)"]


class ExplainFilesOptions(ExplainOptions, FileOptions, total=False):
    """Keywords of ``explain_files``."""

    response_format: Annotated[Literal["auto", "webanno", "brat", "apf", "ecb+", "muc", "conll-ua", "corefud", "semeval", "conll", "json-answer", "json", "jsonlines", "table", "links", "pipe", "bracketed", "bracketed:link", "bracketed:first", "bracketed:colon", "bracketed:hash", "bracketed:double", "bracketed:subscript", "bracketed:bar", "bracketed:antecedent", "tagged", "tagged:attribute", "tagged:element", "tagged:seq2seq", "tagged:corefinst"] | None, "Format of the responses"]


class ValidateOptions(TypedDict, total=False):
    """Keywords of ``validate``."""

    fix: Annotated[Literal["in-place", "beside"] | None, "Corrects problems without changing the meaning: in place, or with fix=beside in key.fixed.conll"]
    response: Annotated[bool | None, "Validates the response if a file has both key and response"]
    profile: Annotated[Literal["conll", "coval", "corefud", "ua", "ua-corefud", "scorch", "e2e", "semeval-2010", "conll-2011", "conll-2012", "craft-2019", "codi-crac-2021-anaphora", "codi-crac-2021-bridging", "codi-crac-2021-deixis", "codi-crac-2022-anaphora", "codi-crac-2022-bridging", "codi-crac-2022-deixis", "crac-2022", "crac-2023", "crac-2024", "crac-2025", "muc", "ace-2005", "ace-2007", "ace-2008", "ace-2004", "ace-2003"] | None, "The scorer or shared task whose rules apply", "by format", "; see `corefeval list profiles`"]
    metrics: Annotated[str | Iterable[str] | Iterable[str | Iterable[str]] | None, "Metrics, joined by commas, or `all`; `-ID` leaves one out", "by profile", "; see `corefeval list metrics`"]
    match: Annotated[Literal["exact", "head", "partial", "craft", "min-span", "overlap", "muc"] | None, "How key and response mentions are matched"]
    singletons: Annotated[Literal["keep", "drop"] | None, "Entities with one mention"]
    pair_documents: Annotated[Literal["auto", "id", "order"] | None, "How the documents of key and response are paired"]
    check_tokens: Annotated[bool | Literal["yes", "warn", "no"] | None, "Check that key and response have the same words"]
    align: Annotated[Literal["auto", "words", "characters", "text"] | None, "How much the text of a response may differ from the key's"]
    notation: Annotated[Literal["auto", "pipe", "link", "first", "colon", "hash", "double", "subscript", "bar", "antecedent", "attribute", "element", "seq2seq", "corefinst", "strings", "own-text"] | None, "How the answer of a language model writes its mentions"]
    extra_zeros: Annotated[Literal["drop", "spurious"] | None, "Empty nodes of an answer that the key lacks"]
    span_end: Annotated[Literal["inclusive", "exclusive"] | None, "The meaning of the second number of a span (jsonlines)"]
    key_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the key (jsonlines)"]
    response_span_end: Annotated[Literal["both", "inclusive", "exclusive"] | None, "The meaning of the second number of a span in the response (jsonlines)"]
    boundary_crossing: Annotated[bool | None, "Mentions may cross: closing brackets name their mention (conll-ua)"]
    annotation: Annotated[Literal["identity", "discourse-deixis"] | None, "The annotation to score (conll-ua)"]
    span_end_of: Annotated[str | Iterable[str] | None, "The meaning of the second number of a span in one input, by its name: ada=exclusive (jsonlines)"]
    min_aligned: Annotated[str | None, "Minimum share of a response's text that must match the key's; a document below it is refused", "0.5", ""]
    threads: Annotated[int | None, "The maximum number of threads", "all cores", "; the result does not depend on it"]
    max_memory: Annotated[str | None, "The maximum memory while reading, for example 2G", "nine tenths of the machine's", ""]
    format: Annotated[Literal["auto", "webanno", "brat", "apf", "ecb+", "muc", "conll-ua", "corefud", "semeval", "conll", "json-answer", "json", "jsonlines", "table", "links", "pipe", "bracketed", "bracketed:link", "bracketed:first", "bracketed:colon", "bracketed:hash", "bracketed:double", "bracketed:subscript", "bracketed:bar", "bracketed:antecedent", "tagged", "tagged:attribute", "tagged:element", "tagged:seq2seq", "tagged:corefinst"] | None, "Format of both sides", "detected from the file", "; see `corefeval list formats`"]
    include: Annotated[str | None, "Reads only the files of directories that match, for example '*.conll'"]
    key_format: Annotated[Literal["auto", "webanno", "brat", "apf", "ecb+", "muc", "conll-ua", "corefud", "semeval", "conll", "json-answer", "json", "jsonlines", "table", "links", "pipe", "bracketed", "bracketed:link", "bracketed:first", "bracketed:colon", "bracketed:hash", "bracketed:double", "bracketed:subscript", "bracketed:bar", "bracketed:antecedent", "tagged", "tagged:attribute", "tagged:element", "tagged:seq2seq", "tagged:corefinst"] | None, "Format of the key"]
    response_format: Annotated[Literal["auto", "webanno", "brat", "apf", "ecb+", "muc", "conll-ua", "corefud", "semeval", "conll", "json-answer", "json", "jsonlines", "table", "links", "pipe", "bracketed", "bracketed:link", "bracketed:first", "bracketed:colon", "bracketed:hash", "bracketed:double", "bracketed:subscript", "bracketed:bar", "bracketed:antecedent", "tagged", "tagged:attribute", "tagged:element", "tagged:seq2seq", "tagged:corefinst"] | None, "Format of the responses"]
    ids_by_file: Annotated[bool | None, "Prefix document ids with their file (`en_gum/GUM_1`), for files that use the same ids"]
    allow_empty: Annotated[bool | None, "Accepts files without mentions, which are otherwise an error"]


#: The keywords whose options have no value on the command line.
FLAGS = frozenset({"allow_empty", "boundary_crossing", "ids_by_file", "np_only", "pair_files", "points", "remove_nested", "response", "shared_documents", "skip_broken", "strict"})

#: The keywords that are choices of the settings.
CHOICES = frozenset({"ace", "align", "annotation", "average", "blanc", "boundary_crossing", "ceaf_singletons", "check_tokens", "duplicates", "entities", "extra_mentions", "extra_zeros", "ids_by_file", "key_span_end", "match", "match_details", "missing_documents", "name_match", "named", "notation", "np_only", "optional", "order", "pair_documents", "place", "remove_nested", "response_span_end", "scope", "singletons", "span_end", "split_antecedents", "split_parts", "zero_match", "zeros"})
