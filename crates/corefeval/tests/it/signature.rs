//! The signature below each report. All other golden files contain SIGNATURE instead.

use corefeval_core::significance::{METHOD_FIELDS, Method};
use serde_json::Value;

use crate::common::{file, golden_with_signature, run};

const KEY: &str = "examples/key.conll";
const ALDER: &str = "examples/alder.conll";

#[test]
fn every_kind_of_report_ends_with_its_signature() {
    let cases: [(&str, &[&str]); 6] = [
        ("table", &["score", "-m", "conll", "--singletons", "drop", KEY, ALDER]),
        ("json", &["score", "-o", "json", "-m", "conll", KEY, ALDER]),
        (
            "csv",
            &[
                "score",
                "-o",
                "csv",
                "-m",
                "b_cubed:weight=table",
                "--weights",
                "ace",
                "examples/weights/key.csv",
                "examples/weights/response.csv",
            ],
        ),
        ("ace", &["score", "-m", "ace_value", "testdata/ace/key", "testdata/ace/response"]),
        ("compare", &["compare", "-m", "muc", "--resamples", "200", KEY, ALDER, "examples/birch.conll"]),
        ("cone", &["cone", "--key-approximate", ALDER]),
    ];
    for (name, args) in cases {
        let args = [args, &["-q"]].concat();
        golden_with_signature(&format!("signature-{name}.txt"), &run(&args, 0).0);
    }
}

/// Each command with the end of its signature and the warning about a setting that it does not apply.
#[test]
fn a_signature_names_only_what_was_applied() {
    let cases: [(&[&str], &str, Option<&str>); 8] = [
        (
            &["errors", "--optional", "if-found"],
            "format:conll",
            Some("`optional:if-found` has no effect on errors"),
        ),
        (
            &["errors", "--split-antecedents", "only"],
            "format:conll",
            Some("`split-antecedents:only` has no effect on errors"),
        ),
        (
            &["errors", "--extra-mentions", "in-key"],
            "format:conll",
            Some("`extra-mentions:in-key` has no effect on errors"),
        ),
        (&["errors", "--entities", "named"], "|entities:named|named:ne-column", None),
        (
            &["score", "--align", "words", "--min-aligned", "0.9"],
            "|align:words",
            Some("--min-aligned has no effect: no text is aligned"),
        ),
        (&["score", "--align", "text", "--min-aligned", "0.9"], "|align:words|min-aligned:0.9", None),
        (&["probe", "--align", "text"], "|align:words", None),
        (
            &["show", "--scope", "corpus"],
            "",
            Some("`scope:corpus` has no effect on documents that are shown"),
        ),
    ];
    for (args, end, warned) in cases {
        let (out, err) = run(&[args, &[KEY, ALDER]].concat(), 0);
        assert!(out.trim_end().ends_with(end), "{args:?}: {out}");
        assert_eq!(err.contains("[without-effect]"), warned.is_some(), "{args:?}: {err}");
        assert!(warned.is_none_or(|warning| err.contains(warning)), "{args:?}: {err}");
    }
    let (out, err) = run(&["agree", "--align", "text", KEY, ALDER], 0);
    assert!(out.contains("|align:words|unit:"), "{out}");
    assert!(err.contains("`align:text` has no effect on annotators"), "{err}");
    let answer = ["examples/answers/key.conll", "examples/answers/pipe.txt"];
    for task in ["score", "probe"] {
        let (out, _) = run(&[&[task], &answer[..]].concat(), 0);
        assert!(out.trim_end().ends_with("|align:words|notation:pipe"), "{task}: {out}");
    }
}

/// Options that are not choices between named values are reported like the others if the formats or metrics cannot use
/// them.
#[test]
fn parameters_without_effect_are_reported_and_not_signed() {
    let parameters = file("idle-parameters.toml", "[mention]\nNOM = 0.3\n");
    let ace = ["testdata/ace/key", "testdata/ace/response"];
    let lines = ["examples/key.jsonlines", "examples/alder.jsonlines"];
    let cases: [(&[&str], &[&str], &str); 5] = [
        (
            &["--span-end-of", "alder=exclusive"],
            &[KEY, ALDER],
            "`span-end-of:alder=exclusive` has no effect on conll",
        ),
        (
            &["--span-end-of", "alder=exclusive"],
            &["--format", "conll", KEY, ALDER],
            "`span-end-of:alder=exclusive` has no effect on conll",
        ),
        (&["--span-end-of", "alder=inclusive"], &lines, ""),
        (&["--ceaf-bound", "0.1"], &[KEY, ALDER], "`ceaf-bound:0.1` has no effect on these metrics"),
        (
            &["--ace-parameters", &parameters],
            &ace,
            "`ace-parameters:mention.NOM=0.3` has no effect on these metrics",
        ),
    ];
    for (option, inputs, warning) in cases {
        let (out, err) = run(&[&["score", "-m", "muc"], option, inputs].concat(), 0);
        assert_eq!(out.contains(&option[0][2..]), warning.is_empty(), "{option:?}: {out}");
        assert_eq!(err.matches("[without-effect]").count(), usize::from(!warning.is_empty()), "{err}");
        assert!(err.contains(warning), "{err}");
    }
    for task in [&["compare", "-m", "muc"][..], &["agree"], &["errors"]] {
        let (out, err) = run(&[task, &["--span-end-of", "alder=exclusive", KEY, ALDER]].concat(), 0);
        assert!(err.contains("`span-end-of:alder=exclusive` has no effect on conll"), "{task:?}: {err}");
        assert!(!out.contains("span-end-of"), "{task:?}: {out}");
    }
    let args = ["score", "--strict", "--span-end-of", "alder=exclusive", KEY, ALDER];
    assert!(run(&args, 1).1.contains("has no effect on conll"));
}

/// The signature of a comparison names the method of its tests. A task without tests warns about these fields once, and
/// uses the settings.
#[test]
fn fields_of_tests_in_a_signature_are_reported_where_nothing_is_tested() {
    let compared =
        ["compare", "-q", "-m", "muc", "--singletons", "drop", "--resamples", "200", "--seed", "7"];
    let (out, _) = run(&[&compared[..], &[KEY, ALDER, "examples/birch.conll"]].concat(), 0);
    let signature = out.trim_end().lines().last().unwrap_or_default();
    assert!(signature.contains("|singletons:drop|test:randomization|"), "{signature}");
    let tests = "`test`, `unit`, `resamples`, `seed`, `interval`, `confidence` have no effect on";
    let table = file("fields-of-tests.csv", "document,key,response,count\nd,a,a,2\n");
    let correlations = "the settings given: `test`, `interval` have no effect on correlations";
    let cases: [(&[&str], &[&str], &str); 9] = [
        (&["score", "-m", "muc"], &[KEY, ALDER], &format!("{tests} scores")),
        (&["score", "-m", "muc"], &["--pair", KEY, ALDER], &format!("{tests} scores")),
        (&["score", "-m", "muc"], &["--overlap", &table], &format!("{tests} scores")),
        (&["probe", "-m", "muc"], &[KEY, ALDER], &format!("{tests} scores")),
        (&["errors"], &[KEY, ALDER], &format!("{tests} errors")),
        (&["show"], &[KEY, ALDER], &format!("{tests} documents that are shown")),
        (&["agree"], &[KEY, ALDER], "the settings given: `test` has no effect on annotators"),
        (&["correlate", "--x", "muc", "--y", "lea"], &[KEY, ALDER], correlations),
        (&["cone", "--key-approximate"], &[ALDER], &format!("{tests} scores")),
    ];
    for (task, inputs, warning) in cases {
        let args = [task, &["--settings", signature], inputs].concat();
        let (out, err) = run(&args, 0);
        assert_eq!(err.matches(warning).count(), 1, "{args:?}: {err}");
        assert!(task == ["show"] || out.contains("|singletons:drop"), "{args:?}: {out}");
        if task[0] == "score" {
            assert!(run(&[&args[..], &["--strict"]].concat(), 1).1.contains(warning), "{args:?}");
        }
    }
    let (_, err) = run(&[&compared[..1], &["-m", "muc", "--settings", signature, KEY, ALDER]].concat(), 0);
    assert!(!err.contains("[without-effect]"), "{err}");
    // Choices of an analysis have no effect on scores, either.
    let analysed = format!("{}|tree:closest", signature.split("|test:").next().unwrap_or_default());
    let (_, err) = run(&["score", "--settings", &analysed, KEY, ALDER], 0);
    assert!(err.contains("the settings given: `tree` has no effect on scores"), "{err}");
    let (_, err) = run(&["compare", "-m", "muc", "--settings", &analysed, KEY, ALDER], 0);
    assert!(err.contains("the settings given: `tree` has no effect on comparisons"), "{err}");
    // A report has both.
    let page = file("fields-of-reports.html", "");
    let both = format!("{signature}|tree:closest|smallest:2");
    let (_, err) = run(&["report", "-m", "muc", "--settings", &both, "-o", &page, KEY, ALDER], 0);
    assert!(err.contains("the settings given: `smallest` has no effect on reports"), "{err}");
}

/// Pairs of files warn like a single pair, and sign the share only if a text is aligned.
#[test]
fn pairs_of_files_report_a_share_of_aligned_text_without_effect() {
    let warning = "--min-aligned has no effect: no text is aligned";
    let (one, two) =
        (["--pair", KEY, ALDER], ["--pair", "examples/voyages/key.conll", "examples/voyages/oak.conll"]);
    let score = |more: &[&str]| run(&[&["score", "-m", "muc", "--min-aligned", "0.9"], more].concat(), 0);
    for pairs in [&one[..], &[one, two].concat()] {
        let (out, err) = score(pairs);
        assert_eq!(err.matches(warning).count(), 1, "{err}");
        assert!(!out.contains("min-aligned"), "{out}");
    }
    let (out, err) = score(&[&["--align", "text"], &one[..]].concat());
    assert!(!err.contains(warning) && out.contains("|min-aligned:0.9"), "{err}{out}");
    let directories = ["--pair-files", "examples/pairs/key", "examples/pairs/alder"];
    let (_, err) = score(&directories);
    assert_eq!(err.matches(warning).count(), 1, "{err}");
}

/// The report in JSON.
fn json(args: &[&str]) -> Value {
    serde_json::from_str(&run(&[args, &["-q", "-o", "json"]].concat(), 0).0).expect("JSON")
}

/// The fields of a method in the signature of a report.
fn method_of(report: &Value) -> Vec<(String, String)> {
    let fields = report["signature"].as_str().expect("a signature").split('|');
    let fields = fields.filter_map(|field| field.split_once(':'));
    let own = |name: &str| METHOD_FIELDS.iter().any(|field| field.name == name);
    fields.filter(|field| own(field.0)).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// A signature of a comparison names the fields of the method that can change its results: other values of the rest give
/// the same results. JSON has all of them.
#[test]
fn a_comparison_names_only_fields_of_the_method_that_can_matter() {
    let (birch, cedar) = ("examples/birch.conll", "examples/cedar.conll");
    let runs = [
        "ours=examples/alder.conll,examples/birch.conll",
        "theirs=examples/cedar.conll,examples/alder.conll",
    ];
    let resampled = "unit resamples seed interval confidence";
    let of_runs = "test unit confidence";
    let cases: [(&[&str], &str); 10] = [
        (&["-m", "muc", ALDER], resampled),
        (&["-m", "muc,lea", "--test", "bootstrap", ALDER], resampled),
        // The only p-value is not corrected for others, and both rules give two systems the same ranks.
        (&["-m", "muc", ALDER, birch], "test unit resamples seed interval confidence"),
        (&["-m", "muc,lea", ALDER, birch], "test unit resamples seed family interval confidence"),
        (
            &["-m", "muc,lea", "--family", "all", ALDER, birch],
            "test unit resamples seed correction family interval confidence",
        ),
        (
            &["-m", "muc,lea", "--correction", "none", ALDER, birch],
            "test unit resamples seed interval confidence",
        ),
        (
            &["-m", "muc", ALDER, birch, cedar],
            "test unit resamples seed correction ranks interval confidence",
        ),
        (
            &["-m", "muc", "--by", "length", ALDER, birch],
            "test unit resamples seed family interval confidence",
        ),
        // Systems of several runs are tested by Student's t.
        (&["-m", "muc", runs[0], runs[1]], of_runs),
        (&["-m", "muc", runs[0]], "unit confidence"),
    ];
    for (args, wanted) in cases {
        let args = [&["compare", "--resamples", "150", KEY], args].concat();
        let report = json(&args);
        let named = method_of(&report);
        let names: Vec<&str> = named.iter().map(|field| field.0.as_str()).collect();
        assert_eq!(names.join(" "), wanted, "{args:?}");
        let results =
            |report: &Value| ["systems", "pairs", "groups"].map(|name| without_families(&report[name]));
        let signature = report["signature"].as_str().expect("a signature");
        let again = json(&[&args[..], &["--settings", signature]].concat());
        assert_eq!(results(&again), results(&report), "{signature}");
        for field in METHOD_FIELDS {
            assert!(!report[field.name].is_null(), "{}", field.name);
            let usual = field.value(&Method::default());
            let others = field.values.iter().map(|value| value.0).filter(|value| **value != usual);
            for value in others.chain(field.values.is_empty().then_some("7")) {
                if named.iter().any(|named| named.0 == field.name) {
                    continue;
                }
                let option = format!("--{}", field.name);
                // A later value of an option would be an error, so `--resamples` is left out first.
                let usual: Vec<&str> =
                    args.iter().filter(|arg| !["--resamples", "150"].contains(*arg)).copied().collect();
                let base = if field.name == "resamples" { &usual } else { &args };
                if base.contains(&option.as_str()) {
                    continue;
                }
                let other = json(&[&base[..], &[&option, value]].concat());
                assert_eq!(results(&other), results(&report), "{args:?} {option} {value}");
            }
        }
    }
}

/// Groups without the sizes of their families, which are not results.
fn without_families(value: &Value) -> Value {
    let mut value = value.clone();
    for group in value.as_array_mut().into_iter().flatten() {
        if let Some(group) = group.as_object_mut() {
            group.remove("families");
        }
    }
    value
}

/// Agreement on one document and Fisher's intervals draw no resamples.
#[test]
fn nothing_that_is_not_resampled_has_a_seed() {
    let named = |args: &[&str]| -> String {
        let names = method_of(&json(args)).into_iter().map(|field| field.0);
        names.collect::<Vec<_>>().join(" ")
    };
    let one = ["ada", "bo"].map(|name| format!("{name}=testdata/formats/conll/columns-12.conll"));
    assert_eq!(named(&["agree", KEY, ALDER]), "unit resamples seed interval confidence");
    assert_eq!(named(&["agree", &one[0], &one[1]]), "unit confidence");
    let correlate = ["correlate", "--x", "muc", "--y", "lea", KEY, ALDER];
    assert_eq!(named(&correlate), "unit resamples seed confidence");
    assert_eq!(named(&[&correlate[..], &["--correlation-interval", "fisher"]].concat()), "unit confidence");
}

/// With `--verbose`, all fields of the method are shown, whether or not the signature names them.
#[test]
fn verbose_shows_the_whole_method() {
    let (_, err) = run(&["compare", "--verbose", "-m", "muc", "--resamples", "100", KEY, ALDER], 0);
    let method = err.lines().find_map(|line| line.strip_prefix("note: method: ")).expect("the method");
    let names: Vec<&str> = method.split(' ').filter_map(|field| Some(field.split_once(':')?.0)).collect();
    let all: Vec<&str> = METHOD_FIELDS.iter().map(|field| field.name).collect();
    assert_eq!(names, all);
}

/// The scores of documents are averaged only for correlations over systems.
#[test]
fn a_correlation_names_the_average_if_it_combines_documents() {
    let systems = [KEY, ALDER, "examples/birch.conll", "examples/cedar.conll"];
    let correlated = |more: &[&str]| {
        run(&[&["correlate", "--x", "muc", "--y", "lea", "--resamples", "100"], more, &systems].concat(), 0)
    };
    let warning = "`average:macro` has no effect on correlations over documents and entities";
    for (over, has_effect) in [("documents", false), ("documents,entities,pooled", false), ("systems", true)]
    {
        let (usual, _) = correlated(&["--over", over]);
        let (out, err) = correlated(&["--over", over, "--average", "macro"]);
        assert_eq!(out.contains("|average:macro|"), has_effect, "{over}: {out}");
        assert_eq!(err.contains(warning), !has_effect, "{over}: {err}");
        assert_eq!(out == usual, !has_effect, "{over}: {out}");
    }
}

/// Errors of named entities are counted among the mentions that are scored.
#[test]
fn errors_of_named_entities_are_those_of_their_scores() {
    let response = |task: &str, options: &[&str]| -> Value {
        json(&[&[task], options, &[KEY, ALDER]].concat())["systems"][0].clone()
    };
    let named = ["--entities", "named"];
    let errors = response("errors", &named)["errors"].clone();
    assert!(errors.is_object() && errors != response("errors", &[])["errors"], "{errors}");
    let scores = run(&[&["score", "-q"], &named[..], &[KEY, ALDER]].concat(), 0).0;
    let counts = |out: &str| out.lines().find(|line| line.starts_with("3 documents")).map(str::to_owned);
    let analysed = run(&[&["errors", "-q"], &named[..], &[KEY, ALDER]].concat(), 0).0;
    assert!(counts(&scores).is_some() && counts(&scores) == counts(&analysed), "{analysed}");
}
