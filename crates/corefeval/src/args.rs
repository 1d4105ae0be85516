//! What can be typed: the command line as `clap` reads it, built from the library's tables.
//!
//! Help, completions and the manual page all come from here. Nothing is decided here: see `plan`.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, ValueHint, value_parser};
use corefeval_core::analysis::{COREF_ERRORS, LANGUAGES, Tree};
use corefeval_core::formats::FORMATS;
use corefeval_core::groups::GROUPS;
use corefeval_core::heuristics::HEURISTICS;
use corefeval_core::probe::{BASE, TRANSFORMATIONS};
use corefeval_core::profiles::PROFILES;
use corefeval_core::settings::{OPTIONS, OptionSpec};
use corefeval_core::significance::{CorrelationMethod, METHOD_FIELDS, Method, MethodField};
use corefeval_report::{Kind, OutputSpec};

/// A name, what it does, and how it is made.
type Subcommand = (&'static str, &'static str, fn(Command) -> Command);

/// The subcommands: name, what each does, its options. They are made when they are called, since making all of
/// them takes longer than to score a small file.
const SUBCOMMANDS: [Subcommand; 13] = [
    ("score", "Scores one or more responses against a key", |command| named(command, score())),
    ("probe", "Scores a response and what known transformations make of it", |command| {
        named(command, probe())
    }),
    ("errors", "Analyses errors: their kinds, what each kind costs, and examples", |command| {
        named(command, errors())
    }),
    ("show", "Shows documents with the mentions of key and responses", |command| named(command, show())),
    ("reproduce", "Recomputes the figures of the papers that define the metrics", |command| {
        named(command, reproduce())
    }),
    ("convert", "Writes documents in another format", |command| named(command, convert())),
    ("compare", "Compares systems: confidence intervals, significance tests, ranks", |command| {
        named(command, compare())
    }),
    ("agree", "Agreement of two annotators or more: scores both ways, Krippendorff's α", |command| {
        named(command, agree())
    }),
    ("correlate", "Correlates two metrics: over documents, over systems, over entities", |command| {
        named(command, correlate())
    }),
    ("cone", "Scores named mentions, against a key or against one made from names", |command| {
        named(command, cone())
    }),
    (
        "list",
        "Lists metrics, formats, profiles, outputs, options, groups, comparison, agreement, correlation, heuristics for names, warnings or the parameters of ACE-value",
        |command| named(command, list()),
    ),
    ("completions", "Prints a completion script for a shell", |command| named(command, completions())),
    ("man", "Prints the manual page, in roff", |command| named(command, man())),
];

/// What a subcommand does.
fn about(name: &str) -> &'static str {
    SUBCOMMANDS.iter().find(|row| row.0 == name).map_or("", |row| row.1)
}

/// `made` under the name that the bare command has by then, with that of the program before it.
fn named(bare: Command, made: Command) -> Command {
    match bare.get_bin_name() {
        Some(name) => made.bin_name(name.to_owned()),
        None => made,
    }
}

/// The whole command, as `clap` has it.
pub fn command() -> Command {
    let rows = SUBCOMMANDS.iter().map(|&(name, about, make)| Command::new(name).about(about).defer(make));
    Command::new("corefeval")
        .version(corefeval_core::VERSION)
        .about("Scores coreference resolution: every metric, exact and fast")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(rows)
}

/// The outputs that have results of a kind.
fn outputs_of(kind: Kind) -> PossibleValuesParser {
    PossibleValuesParser::new(OutputSpec::of(kind).map(|spec| spec.id))
}

fn score() -> Command {
    let profiles = PossibleValuesParser::new(PROFILES.iter().map(|profile| profile.id));
    let outputs = outputs_of(Kind::Scores);
    let groups: Vec<&str> = GROUPS.iter().map(|spec| spec.id).collect();
    let group_help: Vec<String> =
        GROUPS.iter().map(|spec| format!("{}: {}", spec.id, spec.summary)).collect();
    Command::new("score")
        .about(about("score"))
        .long_about(
            "Scores one or more responses against a key.\n\n\
             KEY and RESPONSE are files, directories of files, or - for standard input, plain or \
             compressed (.gz, .zst). Documents are paired by id. A response may be named: NAME=PATH.\n\n\
             A directory is one corpus of all its files. With --pair-files its files are paired with those \
             of the same name in the response and scored pair by pair, --pair names such pairs one by one; \
             both add the macro average over the pairs.",
        )
        .override_usage(
            "corefeval score [OPTIONS] KEY RESPONSE...\n       \
             corefeval score [OPTIONS] --pair KEY RESPONSE [--pair KEY RESPONSE]...",
        )
        .arg(path("key", "KEY", "The annotation that counts as right").required_unless_present("pair"))
        .arg(
            path("response", "RESPONSE", "The annotation to score")
                .required_unless_present("pair")
                .num_args(1..),
        )
        .next_help_heading("Reading")
        .arg(
            Arg::new("pair")
                .long("pair")
                .num_args(2)
                .value_names(["KEY", "RESPONSE"])
                .value_hint(ValueHint::AnyPath)
                .action(ArgAction::Append)
                .conflicts_with_all(["key", "response", "pair-files"])
                .help("A pair of files, instead of KEY and RESPONSE; may be given several times")
                .long_help(
                    "A pair of files, instead of KEY and RESPONSE; may be given several times. Each pair is \
                     scored alone, and the mean of their scores is the macro average. NAME=KEY names the \
                     pair, NAME=RESPONSE the system, of which there may be several",
                ),
        )
        .arg(format(
            "format",
            "Format of both sides [default: told from the file]; see `corefeval list formats`",
        ))
        .arg(format("key-format", "Format of the key"))
        .arg(format("response-format", "Format of the responses"))
        .next_help_heading("Scoring")
        .arg(
            Arg::new("profile")
                .long("profile")
                .value_name("PROFILE")
                .value_parser(profiles)
                .hide_possible_values(true)
                .help("Whose rules apply [default: by format]; see `corefeval list profiles`"),
        )
        .arg(
            Arg::new("metrics").long("metrics").short('m').value_name("LIST").help(
                "Metrics, joined by commas, or `all` [default: by profile]; see `corefeval list metrics`",
            ),
        )
        .args(OPTIONS.iter().map(choice))
        .arg(
            Arg::new("ne-labels")
                .long("ne-labels")
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Labels of named entities, BIO in columns or JSON lines, over the key's words (CONE)"),
        )
        .arg(
            Arg::new("ace-parameters")
                .long("ace-parameters")
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Parameters of ACE-value that differ, in TOML; see `corefeval list ace`"),
        )
        .arg(
            Arg::new("weights")
                .long("weights")
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Weights by type of mention and entity, in TOML, or `ace`; adds the metrics that use them")
                .long_help(
                    "Weights by type of mention and entity, in TOML, for `b_cubed:weight=table`, \
                     `ceaf_m:weight=table`, `ceaf_e:weight=table` and `lea:importance=table`, which are shown \
                     besides unless --metrics chooses; with `mention-type` or `entity-type` for `table` they \
                     use a part. `ace` stands for names 1, nominals 0.5, pronouns 0.1",
                ),
        )
        .arg(
            Arg::new("settings")
                .long("settings")
                .value_name("SIGNATURE")
                .conflicts_with("profile")
                .help("Takes all settings from the signature of an earlier report"),
        )
        .arg(flag("strict", "Makes every warning an error"))
        .next_help_heading("Output")
        .arg(
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("OUTPUT")
                .value_parser(outputs)
                .default_value("table")
                .help("How the scores are shown"),
        )
        .arg(
            Arg::new("by")
                .long("by")
                .value_name("GROUP")
                .value_parser(PossibleValuesParser::new(GROUPS.iter().map(|spec| spec.id)))
                .hide_possible_values(true)
                .help(format!("Adds scores by group of documents [{}]", groups.join("|")))
                .long_help(format!("Adds scores by group of documents\n\n- {}", group_help.join("\n- "))),
        )
        .arg(
            Arg::new("color")
                .long("color")
                .value_name("WHEN")
                .value_parser(PossibleValuesParser::new(["auto", "always", "never"]))
                .default_value("auto")
                .help("Colours; `auto` means on a terminal, unless NO_COLOR is set"),
        )
        .arg(flag("quiet", "Prints no warnings and no progress (they stay in JSON)").short('q'))
        .arg(verbose())
        .arg(
            Arg::new("threads")
                .long("threads")
                .value_name("N")
                .value_parser(value_parser!(u16).range(1..))
                .help("Threads to use at most [default: all cores]; the result does not depend on it"),
        )
}

/// What `probe` shows unless other metrics are typed.
const PROBE_METRICS: &str = "mentions,muc,b_cubed,ceaf_m,ceaf_e,blanc,lea,conll";

/// As `score`, without pairs of files and groups.
fn probe() -> Command {
    let score = score();
    let left_out = ["key", "response", "pair", "pair-files", "by"];
    let shared = score.get_arguments().filter(|arg| !left_out.contains(&arg.get_id().as_str()));
    let rows = TRANSFORMATIONS.iter().map(|row| format!("- {}: {}", row.id, row.summary));
    Command::new("probe")
        .about(about("probe"))
        .long_about(format!(
            "Scores a response and what known transformations make of it, a row each, so that it can be \
             seen how much a metric rewards the mere finding of mentions (Moosavi and Strube 2016).\n\n\
             - {BASE}: the response as it is\n{}",
            rows.collect::<Vec<_>>().join("\n"),
        ))
        .arg(path("key", "KEY", "The annotation that counts as right").required(true))
        .arg(path("response", "RESPONSE", "The annotation to transform and score").required(true))
        .args(shared.cloned())
        .mut_arg("metrics", |metrics| {
            let help = "Metrics, joined by commas, or `all`; see `corefeval list metrics`";
            metrics.default_value(PROBE_METRICS).help(help)
        })
}

/// As `score`, without pairs of files and groups.
fn errors() -> Command {
    let score = score();
    let left_out = ["key", "response", "pair", "pair-files", "by", "output"];
    let shared = score.get_arguments().filter(|arg| !left_out.contains(&arg.get_id().as_str()));
    let kinds = COREF_ERRORS.iter().map(|spec| format!("- {}: {}", spec.id, spec.summary));
    let kinds = kinds.collect::<Vec<_>>().join("\n");
    let trees = Tree::ALL.map(|(_, id, summary)| format!("- {id}: {summary}")).join("\n");
    let outputs = crate::errors::OUTPUTS.map(|(id, summary)| format!("- {id}: {summary}")).join("\n");
    Command::new("errors")
        .about(about("errors"))
        .long_about(format!(
            "Analyses the errors of one or more responses.\n\n\
             The first seven kinds are those of Kummerfeld and Klein (2013): corrected in sequence they turn the \
             response into the key, and the scores after each step show what a kind costs. Missed and wrong links \
             are those of Martschat and Strube (2014): mentions without any correct antecedent.\n\n{kinds}",
        ))
        .override_usage("corefeval errors [OPTIONS] KEY RESPONSE...")
        .arg(path("key", "KEY", "The annotation that counts as right").required(true))
        .arg(path("response", "RESPONSE", "The annotation to analyse").required(true).num_args(1..))
        .next_help_heading("Errors")
        .arg(
            Arg::new("tree")
                .long("tree")
                .value_name("TREE")
                .value_parser(PossibleValuesParser::new(Tree::ALL.map(|row| row.1)))
                .hide_possible_values(true)
                .help("Which antecedent a link error is reported with [accessibility|closest|decisions]")
                .long_help(format!(
                    "Which antecedent a link error is reported with [default: accessibility]\n\n{trees}"
                )),
        )
        .arg(
            Arg::new("kinds")
                .long("kinds")
                .value_name("LIST")
                .help("Kinds of errors to show, joined by commas [default: all]"),
        )
        .arg(
            Arg::new("examples")
                .long("examples")
                .value_name("N")
                .value_parser(value_parser!(u16))
                .help("Examples to show of each kind [default: 2]"),
        )
        .arg(
            Arg::new("language")
                .long("language")
                .value_name("CODE")
                .value_parser(PossibleValuesParser::new(LANGUAGES.iter().map(|row| row.code)))
                .help("Language of text without parts of speech [default: told from its pronouns]"),
        )
        .args(shared.cloned())
        .next_help_heading("Output")
        .arg(
            Arg::new("errors-output")
                .long("output")
                .short('o')
                .value_name("OUTPUT")
                .value_parser(PossibleValuesParser::new(crate::errors::OUTPUTS.map(|row| row.0)))
                .hide_possible_values(true)
                .help("How the errors are shown [table|json|csv|jsonlines|markdown|latex]")
                .long_help(format!("How the errors are shown [default: table]\n\n{outputs}")),
        )
        .mut_arg("metrics", |metrics| {
            metrics.help("Metrics that show what errors cost, joined by commas [default: by profile]; see `corefeval list metrics`")
        })
}

/// As `score`, for the documents themselves.
fn show() -> Command {
    let score = score();
    let left_out = ["key", "response", "pair", "pair-files", "by", "output", "metrics", "strict"];
    let shared = score.get_arguments().filter(|arg| !left_out.contains(&arg.get_id().as_str()));
    Command::new("show")
        .about(about("show"))
        .long_about(
            "Shows documents with the mentions of key and responses in one text. Brackets tell apart what is in \
             both, missing and extra, so that no colours are needed. Entities of a response have the number of the \
             key entity that they share most mentions with. On a terminal a pager shows them ($PAGER, else less).",
        )
        .override_usage("corefeval show [OPTIONS] KEY RESPONSE...")
        .arg(path("key", "KEY", "The annotation that counts as right").required(true))
        .arg(path("response", "RESPONSE", "The annotation to show").required(true).num_args(1..))
        .next_help_heading("Documents")
        .arg(
            Arg::new("document")
                .long("document")
                .short('d')
                .value_name("ID")
                .help("The document, by its id or by its name without the part [default: all]"),
        )
        .arg(
            Arg::new("width")
                .long("width")
                .value_name("COLUMNS")
                .value_parser(value_parser!(u16).range(20..))
                .help("Width of lines [default: 80]"),
        )
        .arg(flag("no-pager", "Prints the text on a terminal too"))
        .args(shared.cloned())
        .arg(flag("strict", "Has no effect here").hide(true))
}

/// What `cone` shows unless other metrics are typed.
pub const CONE_METRICS: &str = "b_cubed,ceaf_m,cone_b_cubed,cone_ceaf";

/// As `score`, with a key made from names where none is given.
fn cone() -> Command {
    let score = score();
    let left_out = ["key", "response", "pair", "pair-files"];
    let shared = score.get_arguments().filter(|arg| !left_out.contains(&arg.get_id().as_str()));
    let rows: Vec<String> = HEURISTICS.iter().map(|(id, summary)| format!("- {id}: {summary}")).collect();
    let written = FORMATS.iter().filter(|spec| spec.is_written()).map(|spec| spec.id);
    let methods = METHOD_FIELDS.iter().filter(|field| crate::cone::METHOD.contains(&field.name));
    Command::new("cone")
        .about(about("cone"))
        .long_about(
            "Scores named mentions: both sides are pruned to them, and B³ and CEAF computed of what is left, \
             beside B³ and CEAF of all mentions (Lin et al. 2010).\n\n\
             With --key-approximate no key is needed: the names of the text are clustered by their words, and the \
             responses' named mentions scored against these clusters. With --annotated, which names a key of some \
             of the documents, the full scores on those stand beside CONE on the approximated key, with the \
             discrepancy and its interval: a response that is good at names alone, or made to look so, has a large one.",
        )
        .override_usage(
            "corefeval cone [OPTIONS] KEY RESPONSE...\n       \
             corefeval cone [OPTIONS] --key-approximate [--annotated KEY] RESPONSE...",
        )
        .arg(path("inputs", "PATH", "The key and the responses to score; with --key-approximate the responses").num_args(1..).required(true))
        .args(shared.cloned())
        .mut_arg("metrics", |metrics| {
            metrics.help(format!("Metrics, joined by commas, or `all` [default: {CONE_METRICS}]; see `corefeval list metrics`"))
        })
        .next_help_heading("Without a key")
        .arg(flag("key-approximate", "Makes the key from the names of the text"))
        .arg(
            Arg::new("heuristics")
                .long("heuristics")
                .value_name("LIST")
                .requires("key-approximate")
                .help("What names are clustered by, joined by commas [default: all]")
                .long_help(format!("What names are clustered by, within a type, joined by commas [default: all]\n\n{}", rows.join("\n"))),
        )
        .arg(
            Arg::new("without")
                .long("without")
                .value_name("LIST")
                .requires("key-approximate")
                .conflicts_with("heuristics")
                .help("Heuristics to leave out, joined by commas"),
        )
        .arg(path("write-key", "FILE", "Writes the key made from names of the first response there").long("write-key").requires("key-approximate").value_hint(ValueHint::FilePath))
        .arg(path("read-key", "FILE", "Scores against a key of names that --write-key has written, perhaps corrected, and not against one that is made").long("read-key").requires("key-approximate").conflicts_with_all(["heuristics", "without", "write-key"]).value_hint(ValueHint::FilePath))
        .arg(
            Arg::new("write-format")
                .long("write-format")
                .value_name("FORMAT")
                .requires("write-key")
                .value_parser(PossibleValuesParser::new(written))
                .hide_possible_values(true)
                .default_value("conll")
                .help("Format of the key that is written"),
        )
        .arg(
            path("annotated", "KEY", "A key of some of the documents, to hold the full scores on them against CONE")
                .long("annotated")
                .requires("key-approximate"),
        )
        .args(methods.map(method))
}

fn reproduce() -> Command {
    Command::new("reproduce")
        .about(about("reproduce"))
        .long_about(
            "Recomputes the figures of the papers that define the metrics from inputs inside the command, and \
             prints published beside computed. Exits with 1 if one differs that should not.",
        )
        .arg(
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("OUTPUT")
                .value_parser(outputs_of(Kind::Reproduction))
                .default_value("table")
                .help("How the figures are shown"),
        )
        .arg(figures("Draws the analysis of Moosavi and Strube (2016, figures 2-8) there, SVG and PNG a family"))
}

fn convert() -> Command {
    let written = FORMATS.iter().filter(|spec| spec.is_written()).map(|spec| spec.id);
    let choices = OPTIONS.iter().filter(|option| crate::convert::CHOICES.contains(&option.name));
    Command::new("convert")
        .about(about("convert"))
        .long_about(
            "Writes documents in another format.\n\n\
             INPUT is a file, a directory of files, or - for standard input, plain or compressed (.gz, \
             .zst). What the other format cannot say is left out and counted in warnings.",
        )
        .arg(path("input", "INPUT", "The documents to write in another format").required(true))
        .arg(
            Arg::new("to")
                .long("to")
                .short('t')
                .value_name("FORMAT")
                .required(true)
                .value_parser(PossibleValuesParser::new(written))
                .help("Format to write"),
        )
        .arg(
            path(
                "output",
                "FILE",
                "Where to write, a directory for formats of a file a document [default: standard output]",
            )
            .long("output")
            .short('o'),
        )
        .next_help_heading("Reading")
        .arg(format(
            "from",
            "Format of the input [default: told from the file]; see `corefeval list formats`",
        ))
        .arg(flag("response", "Reads what a system found where the input holds key and response"))
        .args(choices.map(choice))
        .arg(flag("strict", "Makes every warning an error; nothing is written then"))
        .next_help_heading("Messages")
        .arg(flag("quiet", "Prints no warnings and no progress").short('q'))
        .arg(verbose().help("Prints all warnings that were kept, not only the first of each kind"))
}

fn format(name: &'static str, help: &'static str) -> Arg {
    let formats = std::iter::once("auto").chain(FORMATS.iter().map(|spec| spec.id));
    Arg::new(name)
        .long(name)
        .value_name("FORMAT")
        .value_parser(PossibleValuesParser::new(formats))
        .hide_possible_values(true)
        .help(help)
}

fn verbose() -> Arg {
    flag("verbose", "Prints all settings, and all warnings that were kept, not only the first of each kind")
        .short('v')
}

/// As `score`, for several responses: what it does not do is hidden and refused later, with a reason.
fn compare() -> Command {
    let outputs = outputs_of(Kind::Comparison);
    let mut command = score()
        .name("compare")
        .about(about("compare"))
        .long_about(
            "Compares systems: confidence intervals, significance tests, ranks.\n\n\
             Each RESPONSE is a system, named by NAME=PATH or its file name. Documents are resampled, whole; \
             scores of resamples are ratios of sums over documents, as the score itself. Differences are to \
             the baseline. The result depends on the seed, and not on the number of threads.\n\n\
             A directory given as RESPONSE is one system of all its files, as everywhere. With --systems each \
             file in the directory is a system, and each directory in it one of all its files; they are named by \
             file without extension and come after those named one by one, in the order of their names.",
        )
        .override_usage(
            "corefeval compare [OPTIONS] KEY RESPONSE RESPONSE...\n       \
             corefeval compare [OPTIONS] KEY [RESPONSE]... --systems DIR",
        )
        .mut_arg("response", |arg| arg.required(false).required_unless_present_any(["pair", "systems"]))
        .mut_arg("output", |arg| arg.value_parser(outputs))
        .mut_arg("by", |arg| {
            let groups: Vec<&str> = GROUPS.iter().map(|spec| spec.id).collect();
            arg.help(format!("Compares the systems on each group of documents too [{}]", groups.join("|")))
        });
    for hidden in ["pair", "pair-files"] {
        command = command.mut_arg(hidden, |arg| arg.hide(true));
    }
    command
        .next_help_heading("Systems")
        .arg(
            path("systems", "DIR", "A directory of systems, one each file and each directory in it; may be given several times")
                .long("systems")
                .value_hint(ValueHint::DirPath)
                .action(ArgAction::Append)
                .conflicts_with("pair"),
        )
        .arg(flag(
            "skip-broken",
            "Leaves out systems that cannot be read or compared, with a warning, where otherwise one is an error",
        ))
        .arg(
            path("cache", "DIR", "Keeps there what the documents of each system count, so that only new systems are scored")
                .long("cache")
                .value_hint(ValueHint::DirPath)
                .long_help(
                    "Keeps there what the documents of each system count, so that only new systems are scored. \
                     What is kept is found by a digest of the bytes of key and response, of all settings and \
                     metrics, and of this program; the output is the same with and without. Delete the directory \
                     to clear it",
                ),
        )
        .next_help_heading("Comparison")
        .arg(
            Arg::new("baseline")
                .long("baseline")
                .value_name("NAME")
                .help("The system that the others are compared with [default: the first]"),
        )
        .arg(
            Arg::new("sort")
                .long("sort")
                .value_name("METRIC")
                .help("The metric that the rows are sorted by [default: conll, else the first]"),
        )
        .args(METHOD_FIELDS.iter().map(method))
        .arg(flag(
            "shared-documents",
            "Compares on the documents that all systems have, where otherwise one that lacks any is an error",
        ))
        .arg(figures("Draws intervals, differences by document, profile and series there, SVG and PNG each"))
}

/// As `compare`, for two metrics instead of two systems.
fn correlate() -> Command {
    let outputs = outputs_of(Kind::Correlation);
    let score = score();
    let left_out = ["key", "response", "pair", "pair-files", "by", "metrics"];
    let shared = score.get_arguments().filter(|arg| !left_out.contains(&arg.get_id().as_str()));
    let metric = |id: &'static str, help: &'static str| {
        Arg::new(id).long(id).value_name("METRIC").required(true).help(help)
    };
    let defaults = CorrelationMethod::default();
    let fields = CorrelationMethod::fields().into_iter();
    let fields = fields.map(|(name, summary, values)| field(name, summary, values, &defaults.value(name)));
    Command::new("correlate")
        .about(about("correlate"))
        .long_about(
            "Correlates two metrics over the documents of each system, over those of all systems, over the \
             systems and over the entities of the key (Lin et al. 2010): Pearson, Spearman and Kendall (tau-b) \
             of recall, precision and F1, with intervals.\n\n\
             Each RESPONSE is a system, named by NAME=PATH or its file name. Points where one of the metrics \
             has nothing to count are left out and counted.",
        )
        .override_usage("corefeval correlate [OPTIONS] --x METRIC --y METRIC KEY RESPONSE...")
        .arg(path("key", "KEY", "The annotation that counts as right").required(true))
        .arg(path("response", "RESPONSE", "The annotation to score").required(true).num_args(1..))
        .next_help_heading("Correlation")
        .arg(metric("x", "The first metric; see `corefeval list metrics`"))
        .arg(metric("y", "The second metric"))
        .arg(
            Arg::new("over")
                .long("over")
                .value_name("LIST")
                .help("What the points are, joined by commas: documents, pooled, systems, entities [default: all that are possible]"),
        )
        .args(fields)
        .arg(flag(
            "shared-documents",
            "Takes the documents that all systems have, where otherwise one that lacks any is an error",
        ))
        .arg(figures("Draws scatter plots there, SVG and PNG each"))
        .args(shared.cloned())
        .mut_arg("output", |arg| arg.value_parser(outputs))
}

/// Where figures go.
fn figures(help: &'static str) -> Arg {
    path("figures", "DIR", help).long("figures").value_hint(ValueHint::DirPath)
}

/// As `score`, for annotators: what it does not do is hidden and refused later, with a reason.
fn agree() -> Command {
    let outputs = outputs_of(Kind::Agreement);
    let mut command = score()
        .name("agree")
        .about(about("agree"))
        .long_about(
            "Agreement of two annotators or more: scores both ways, Krippendorff's α.\n\n\
             Each annotator is scored against each other, both ways. α compares what they say of each \
             mention (the set of mentions it is put in) and of each pair of mentions, corrected for chance; \
             its interval is from a bootstrap over documents.",
        )
        .override_usage("corefeval agree [OPTIONS] ANNOTATOR ANNOTATOR...")
        .mut_arg("key", |arg| arg.value_name("ANNOTATOR").help("The first annotator: PATH or NAME=PATH"))
        .mut_arg("response", |arg| arg.value_name("ANNOTATOR").help("The others: PATH or NAME=PATH"))
        .mut_arg("by", |arg| {
            let help = "Adds the figures of each document [document]";
            arg.help(help).long_help(help)
        })
        .mut_arg("output", |arg| arg.value_parser(outputs));
    for hidden in ["pair", "pair-files", "response-format"] {
        command = command.mut_arg(hidden, |arg| arg.hide(true));
    }
    command
        .next_help_heading("Agreement")
        .args(METHOD_FIELDS.iter().filter(|field| crate::agree::FIELDS.contains(&field.name)).map(method))
        .arg(flag(
            "shared-documents",
            "Compares on the documents that all annotators have, where otherwise one that lacks any is an error",
        ))
}

/// One field of the method as an option. What it may be is checked where the method is made.
fn method(row: &'static MethodField) -> Arg {
    field(row.name, row.summary, row.values, &row.value(&Method::default()))
}

fn field(
    name: &'static str,
    summary: &'static str,
    values: &'static [(&'static str, &'static str)],
    default: &str,
) -> Arg {
    let arg = Arg::new(name).long(name);
    if values.is_empty() {
        // A share of one, or a count.
        let name = if default.contains('.') { "LEVEL" } else { "N" };
        return arg.value_name(name).help(format!("{} [default: {default}]", capital(summary)));
    }
    let ids: Vec<&str> = values.iter().map(|value| value.0).collect();
    let values: Vec<String> = values.iter().map(|(id, help)| format!("{id}: {help}")).collect();
    arg.value_name("VALUE")
        .value_parser(PossibleValuesParser::new(ids.clone()))
        .hide_possible_values(true)
        .help(format!("{} [{}] [default: {default}]", capital(summary), ids.join("|")))
        .long_help(format!("{} [default: {default}]\n\n- {}", capital(summary), values.join("\n- ")))
}

fn path(id: &'static str, name: &'static str, help: &'static str) -> Arg {
    Arg::new(id).value_name(name).value_hint(ValueHint::AnyPath).help(help)
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// One choice of the settings as an option.
fn choice(option: &'static OptionSpec) -> Arg {
    let arg = Arg::new(option.name).long(option.name);
    if option.flag {
        return arg.action(ArgAction::SetTrue).help(capital(option.summary));
    }
    let values: Vec<String> = option.values.iter().map(|(id, help)| format!("{id}: {help}")).collect();
    arg.value_name("VALUE")
        .value_parser(PossibleValuesParser::new(option.ids()))
        .hide_possible_values(true)
        .help(format!("{} [{}]", capital(option.summary), option.ids().collect::<Vec<_>>().join("|")))
        .long_help(format!("{} [default: by profile]\n\n- {}", capital(option.summary), values.join("\n- ")))
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

fn list() -> Command {
    Command::new("list").about(about("list")).arg(
        Arg::new("what")
            .required(true)
            .value_parser(PossibleValuesParser::new(crate::list::TABLES.iter().map(|t| t.0)))
            .help("The table to list"),
    )
}

fn completions() -> Command {
    Command::new("completions").about(about("completions")).arg(
        Arg::new("shell")
            .required(true)
            .value_parser(value_parser!(clap_complete::Shell))
            .help("The shell to complete in"),
    )
}

fn man() -> Command {
    Command::new("man").about(about("man")).arg(
        Arg::new("command")
            .value_parser(PossibleValuesParser::new([
                "score",
                "compare",
                "agree",
                "cone",
                "probe",
                "errors",
                "show",
                "reproduce",
                "convert",
                "list",
                "completions",
                "man",
            ]))
            .help("The page of one subcommand [default: the main page]"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn every_choice_is_an_option() {
        let mut command = command();
        command.build();
        for name in ["score", "compare", "agree"] {
            let command = command.find_subcommand(name).expect("a subcommand");
            for option in OPTIONS {
                let found = command.get_arguments().any(|arg| arg.get_long() == Some(option.name));
                assert!(found, "{name} {}", option.name);
            }
        }
    }
}
