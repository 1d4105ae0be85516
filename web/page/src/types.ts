// Generated from the structs of crates/corefeval-web by its tests; do not edit.

/** A value of an option. */
export interface ChoiceRow {
  /** The value in requests. */
  id: string;
  /** One line of help. */
  summary: string;
}

/** An exact numerator and denominator, each `2` or `5/3`. */
export interface ExactRatio {
  /** The numerator. */
  numerator: string;
  /** The denominator. */
  denominator: string;
}

/** An error. */
export interface Failure {
  /** The stable code, described in `docs/codes`. */
  code: string;
  /** The whole text of the command: the places, the messages and the remedies. */
  text: string;
  /** The text in the words of the page, which has no command line. */
  worded: string;
  /** The message. */
  message: string;
  /** The file, if there is a place. */
  file: string | null;
  /** The line, from 1; null without one. */
  line: number | null;
  /** The column in bytes, from 1; null without one. */
  column: number | null;
  /** The likely remedy. */
  hint: string | null;
}

/** A key and its responses, with the options of the command by name. */
export interface Files {
  /** The path of the key: a file or a directory. */
  key: string;
  /** The responses. */
  responses: Array<System>;
  /** Values of options by name: `{"profile": ["ua"], "metrics": ["muc,lea"]}`. */
  options: Record<string, Array<string>>;
  /** The outputs to render in addition to the report as data. */
  outputs: Array<string>;
}

/** A format. */
export interface FormatRow {
  /** The name in requests. */
  id: string;
  /** One line of help. */
  summary: string;
  /** The usual extensions of its files, without the dot. */
  extensions: Array<string>;
  /** The extension of the files with the text, for stand-off formats. */
  companion: string | null;
}

/** A metric. */
export interface MetricRow {
  /** The name in requests. */
  id: string;
  /** The name in tables. */
  label: string;
  /** One line of help. */
  summary: string;
  /** Its page in Markdown. */
  page: string;
}

/** A request without members. */
export interface Nothing {
}

/** An option. */
export interface OptionRow {
  /** The name in requests. */
  name: string;
  /** One line of help. */
  summary: string;
  /** The values; empty for a number. */
  values: Array<ChoiceRow>;
  /** The default, for options of comparisons. */
  default: string | null;
  /** The formats that it affects; empty if it affects all. */
  formats: Array<string>;
}

/** An output. */
export interface OutputRow {
  /** The name in requests. */
  id: string;
  /** One line of help. */
  summary: string;
  /** The extensions of its files, without the dot. */
  extensions: Array<string>;
  /** The name of its format in pages that offer to save it; null if they do not offer it. */
  saved_as: string | null;
}

/** The page of a report. */
export interface PageOfReport {
  /** The page: one file with its data and its viewer. */
  html: string;
  /** The reason why the page has no intervals and tests, if it has none. */
  not_compared: string | null;
}

/** A key and a response as entities of named mentions. Empty entities do not count. */
export interface Partitions {
  /** The entities of the key. */
  key: Array<Array<string>>;
  /** The entities of the response. */
  response: Array<Array<string>>;
}

/** The scores of two partitions. */
export interface Played {
  /** The metrics, in the order in which they are shown. */
  metrics: Array<PlayedMetric>;
}

/** The counts of a metric, or of one of its halves. */
export interface PlayedCounts {
  /** The name of the half; null if there is one. */
  half: string | null;
  /** The numerator and denominator of recall. */
  recall: ExactRatio;
  /** The numerator and denominator of precision. */
  precision: ExactRatio;
  /** The expected value by chance, which is subtracted from the sums of numerators and of denominators; null for metrics that are not corrected for chance. */
  chance: string | null;
  /** The contribution of each key entity to recall; null for empty entities; empty without such terms. */
  key: Array<ExactRatio | null>;
  /** The contribution of each response entity to precision. */
  response: Array<ExactRatio | null>;
}

/** The score of a metric. */
export interface PlayedMetric {
  /** The name in requests. */
  id: string;
  /** The name in tables. */
  label: string;
  /** One line of help. */
  summary: string;
  /** The definition with its formula, in Markdown. */
  definition: string;
  /** The contribution of a mention, in one line; null if counts are not sums over mentions. */
  share: string | null;
  /** Recall; null if it is undefined. */
  recall: number | null;
  /** Precision; null if it is undefined. */
  precision: number | null;
  /** F1; null if it is undefined. */
  f1: number | null;
  /** The counts: one element, two for metrics with two halves, none for a mean of other metrics. */
  counts: Array<PlayedCounts>;
  /** The metrics that it is the mean of. */
  mean_of: Array<string>;
}

/** A profile. */
export interface ProfileRow {
  /** The name in requests. */
  id: string;
  /** The shared task or scorer that it reproduces. */
  summary: string;
  /** The formats that it is the default for. */
  formats: Array<string>;
  /** Its metrics. */
  metrics: Array<string>;
}

/** The results of a task. */
export interface Results {
  /** The results as `schema/` describes them, the same as those of the command. */
  report: unknown;
  /** The outputs that were requested, by name. */
  outputs: Record<string, string>;
  /** The warnings and notes of the report in the words of the page, which has no command line. */
  findings: unknown;
}

/** A response. */
export interface System {
  /** The name; null for the name of the file. */
  name: string | null;
  /** The path: a file or a directory. */
  path: string;
}

/** The tables of the library. */
export interface Tables {
  /** The version of corefeval. */
  version: string;
  /** The metrics, in the order in which they are shown. */
  metrics: Array<MetricRow>;
  /** The formats of files. */
  formats: Array<FormatRow>;
  /** The rules of other scorers and of shared tasks. */
  profiles: Array<ProfileRow>;
  /** The options that scores depend on. */
  options: Array<OptionRow>;
  /** The options of comparisons. */
  method: Array<OptionRow>;
  /** The outputs of scores. */
  outputs: Array<OutputRow>;
}

/** Requests and answers, by task. */
export interface Tasks {
  /** Returns metrics, formats, profiles, options and outputs. */
  tables: { request: Nothing; answer: Tables };
  /** Returns the scores of responses. */
  score: { request: Files; answer: Results };
  /** Returns intervals, tests and ranks of systems. */
  compare: { request: Files; answer: Results };
  /** Returns kinds of errors, their cost and examples. */
  errors: { request: Files; answer: Results };
  /** Returns the page of `corefeval report`. */
  report: { request: Files; answer: PageOfReport };
  /** Returns the metrics of two partitions, with the contribution of each entity. */
  play: { request: Partitions; answer: Played };
}
