//! A page: one HTML file with the viewer and its data. A leaderboard links to such pages.
//!
//! The page loads nothing: its content security policy allows only the viewer's own script and style, by their hashes.
//! The data is in a script element that is not executed, with every `<` escaped, so that no text of a corpus can end
//! it. `web/viewer/build` builds the viewer; `web/viewer/data.schema.json` describes the data.

#![forbid(unsafe_code)]

mod board;
mod body;
mod chunk;
mod data;

use std::borrow::Cow;

use corefeval_core::analysis::{DocumentView, ErrorReport};
use corefeval_core::error::Error;
use corefeval_core::evaluation::Overview;
use corefeval_core::reports::comparison::ComparisonReport;
use corefeval_core::results::Report;
use corefeval_core::wording::{Command, Wording, inert};

pub use self::board::{Board, file_name};

const TEMPLATE: &str = include_str!("../assets/page.html");
const STYLE: &str = include_str!("../assets/viewer.css");
const SCRIPT: &str = include_str!("../assets/viewer.js");

/// The contents of a page.
#[derive(Clone, Copy, Debug)]
pub struct Page<'r> {
    /// The heading; without it, the names of systems and key.
    pub title: Option<&'r str>,
    /// The scores, by document.
    pub report: &'r Report,
    /// The comparison of the same systems, if they were compared.
    pub comparison: Option<&'r ComparisonReport>,
    /// The reason why there is no comparison, if it failed.
    pub not_compared: Option<&'r Error>,
    /// The scores of the same systems by groups, one report for each division.
    pub groups: &'r [Report],
    /// The errors of the same systems, with their rows.
    pub errors: Option<&'r ErrorReport>,
    /// The documents, in the order of the key.
    pub documents: &'r [DocumentView],
    /// The documents whose texts are in the page.
    pub texts: Texts<'r>,
    /// The wording of warnings and notes.
    pub wording: &'r dyn Wording,
    /// The maximum number of threads, which does not affect the page.
    pub threads: usize,
}

/// The documents whose texts are in a page. Scores and errors cover all documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Texts<'r> {
    /// All documents.
    #[default]
    All,
    /// This many documents from the start.
    First(usize),
    /// The documents with these ids.
    Named(&'r [String]),
    /// No documents, for corpora that must not be redistributed. Words in errors are omitted too.
    None,
}

impl Texts<'_> {
    /// Returns whether the text of a document is in the page.
    fn has(&self, place: usize, id: &str) -> bool {
        match self {
            Texts::All => true,
            Texts::First(count) => place < *count,
            Texts::Named(ids) => ids.iter().any(|other| other == id),
            Texts::None => false,
        }
    }
}

impl<'r> From<&'r Overview> for Page<'r> {
    /// A page with all texts, under the names of systems and key.
    fn from(overview: &'r Overview) -> Page<'r> {
        Page {
            title: None,
            report: &overview.report,
            comparison: overview.comparison.as_ref(),
            not_compared: overview.not_compared.as_ref(),
            groups: &overview.groups,
            errors: Some(&overview.errors),
            documents: &overview.documents,
            texts: Texts::All,
            wording: &Command,
            threads: overview.threads,
        }
    }
}

impl Page<'_> {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let title = match self.title {
            Some(title) => Cow::Borrowed(title),
            None => Cow::Owned(data::title(self.report)),
        };
        // Only strings of JSON contain `<`.
        let data = self.data().to_string().replace('<', "\\u003c");
        let parts = [
            ("title", escaped(&title)),
            ("style", STYLE.to_owned()),
            ("data", data),
            ("script", SCRIPT.to_owned()),
        ];
        fill(TEMPLATE, &parts)
    }

    /// The data alone, described by `web/viewer/data.schema.json`.
    pub fn data(&self) -> serde_json::Value {
        data::data(self)
    }
}

/// Replaces each `{{name}}` in a template. Replacements are not scanned again.
fn fill(template: &str, parts: &[(&str, String)]) -> String {
    let mut text =
        String::with_capacity(template.len() + parts.iter().map(|part| part.1.len()).sum::<usize>());
    let mut pieces = template.split("{{");
    text.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        if let Some((_, value)) = parts.iter().find(|part| part.0 == name) {
            text.push_str(value);
        }
        text.push_str(rest);
    }
    text
}

/// Escapes text for an HTML element.
fn escaped(text: &str) -> String {
    inert(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use corefeval_core::analysis::{
        AnalysisTask, COREF_ERRORS, CommonErrors, Tree, TypeRule, Viewer, analyse,
    };
    use corefeval_core::diagnostic::{Code, Diagnostics};
    use corefeval_core::formats::{FormatSpec, ReadOptions};
    use corefeval_core::model::Corpus;
    use corefeval_core::pairing::pair;
    use corefeval_core::profiles::Profile;
    use corefeval_core::results::SystemReport;
    use corefeval_core::settings::Settings;
    use corefeval_core::text;
    use corefeval_core::wording::{Position, quoted};

    use serde_json::json;

    use super::chunk::tests::plain;
    use super::*;

    const KEY: &str = "#begin document (</script><b>); part 000\n\
        a 0 0 </script><script>alert(1)</script> NNP (0)\na 0 1 secret NN (1)\na 0 2 it PRP (0)\n#end document\n";

    fn read(text: &str) -> Corpus {
        let options = ReadOptions::with_layers();
        let format = FormatSpec::named("conll").expect("the format exists");
        format.read(text.as_bytes(), "text", options).expect("the text is valid")
    }

    /// A page of the key above and a response that lacks its pronoun.
    fn page<T>(texts: Texts<'_>, look: impl FnOnce(&Page<'_>) -> T) -> T {
        let (key, response) = (read(KEY), read(&KEY.replace("PRP (0)", "PRP -")));
        let settings = Settings::of(Profile::for_format("conll"));
        let task = AnalysisTask {
            settings: settings.clone(),
            metrics: Vec::new(),
            tree: Tree::default(),
            language: None,
            types: TypeRule::default(),
            examples: 0,
            rows: true,
            compared: false,
            threads: 1,
        };
        let mut diagnostics = Diagnostics::default();
        let pairs = pair(&key, &response, &mut diagnostics).expect("the ids are the same");
        let systems = vec![analyse(&pairs, &task, &mut diagnostics)];
        let documents: Vec<DocumentView> = Viewer::new(&pairs, &task).view(&pairs).into_iter().collect();
        let mut system = SystemReport::default();
        system.name = "<system>".to_owned();
        system.key = "key.conll".to_owned();
        let (format, none) = ("conll".to_owned(), Diagnostics::default());
        let report = Report::new(settings.clone(), format, none, vec![system]);
        let errors = ErrorReport {
            settings,
            format: "conll".to_owned(),
            diagnostics,
            kinds: COREF_ERRORS.iter().map(|spec| spec.kind).collect(),
            tree: task.tree,
            types: TypeRule::default(),
            language: None,
            without_cost: Vec::new(),
            common: CommonErrors::of(&systems),
            systems,
        };
        look(&Page {
            title: None,
            report: &report,
            comparison: None,
            not_compared: None,
            groups: &[],
            errors: Some(&errors),
            documents: &documents,
            texts,
            wording: &Command,
            threads: 2,
        })
    }

    #[test]
    fn text_of_the_corpus_cannot_leave_its_element() {
        let html = page(Texts::All, |page| page.html());
        let [start, end] = ["id=\"corefeval-data\">", "</script>"];
        let data =
            html.split_once(start).expect("the page has data").1.split_once(end).expect("and ends it").0;
        assert!(!data.contains('<'));
        let value: serde_json::Value = serde_json::from_str(data).expect("the data is JSON");
        assert_eq!(value["documents"][0]["id"], "</script><b>; part 000");
        assert!(html.contains("<title>&lt;system&gt; against key.conll</title>"));
        assert_eq!(html.matches("<script").count(), SCRIPT.matches("<script").count() + 2);
    }

    #[test]
    fn errors_and_bodies_are_in_chunks() {
        let data = page(Texts::All, |page| page.data());
        let body = plain(&data["documents"][0]["body"]);
        assert_eq!(body["words"][1], "secret");
        assert_eq!(body["responses"][0]["matches"], serde_json::json!([[0, 0], [1, 1]]));
        // The single mention of the response is that of an entity of the key, which has two.
        let labels = [&body["key"], &body["responses"][0]].map(|side| &side["entities"][0]["label"]);
        assert_eq!(labels, ["1", "1"]);
        let errors = plain(&data["errors"]);
        let missed = errors["rows"].as_array().expect("rows").iter().find(|row| row["kind"] == "missed_link");
        assert_eq!(missed.expect("the pronoun is missed")["key"], serde_json::json!([2, 0]));
        assert_eq!(data["systems"][0]["error_counts"]["links"]["recall"]["total"], 1);
    }

    #[test]
    fn kinds_have_the_properties_of_their_rows() {
        let data = page(Texts::All, |page| page.data());
        let kinds = data["kinds"].as_array().expect("a list");
        assert_eq!(kinds.len(), COREF_ERRORS.len());
        let missed = kinds.iter().find(|kind| kind["id"] == "missed_link").expect("missed links");
        assert_eq!((&missed["analysis"], &missed["side"]), (&json!("links"), &json!("key")));
        assert_eq!(missed["relation"], "not linked to");
        let errors = plain(&data["errors"]);
        for row in errors["rows"].as_array().expect("rows").iter().filter(|row| !row["other"].is_null()) {
            let kind = kinds.iter().find(|kind| kind["id"] == row["kind"]).expect("a kind");
            assert!(kind["relation"].is_string(), "{row}");
        }
    }

    #[test]
    fn without_text_no_word_is_in_the_page() {
        let data = page(Texts::None, |page| page.data());
        assert_eq!(data["without_text"], true);
        assert!(data["documents"][0].get("body").is_none());
        let errors = plain(&data["errors"]).to_string();
        assert!(!errors.contains("secret") && !errors.contains("alert"), "{errors}");
        let errors = plain(&data["errors"]);
        let missed = errors["rows"].as_array().expect("rows").iter().find(|row| row["kind"] == "missed_link");
        let missed = missed.expect("the pronoun is missed");
        assert_eq!((&missed["words"], &missed["other_words"]), (&json!([2, 3]), &json!([0, 1])));
    }

    #[test]
    fn only_findings_that_need_one_have_a_remedy() {
        let warnings = page(Texts::All, |page| {
            let mut report = page.report.clone();
            report.diagnostics = findings("x");
            Page { report: &report, ..*page }.data()["warnings"].clone()
        });
        let remedy = |code: Code| {
            let found = warnings.as_array().expect("a list").iter().find(|found| found["code"] == code.id());
            found.expect("every code").get("remedy").cloned()
        };
        assert_eq!(remedy(Code::WordsUnchecked), None);
        assert_eq!(remedy(Code::UnclosedMention), Some(json!("close it")));
    }

    /// Findings of every code, whose messages contain a word both as a quoted part and as plain text.
    fn findings(word: &str) -> Diagnostics {
        let mut findings = Diagnostics::default();
        for (line, &code) in (1..).zip(Code::ALL) {
            let place = Position::new(&"key.conll".into(), line, 1);
            let message = || text!("{} differs, where the key has {}", quoted(word), word.to_owned());
            findings.add(code, Some(place), Some("d1".to_owned()), message);
            findings.add(code, None, None, message);
        }
        findings
    }

    #[test]
    fn without_text_findings_have_places_and_counts_but_no_words() {
        for texts in [Texts::None, Texts::All] {
            let warnings = page(texts, |page| {
                let mut report = page.report.clone();
                report.diagnostics = findings("SECRET");
                let found = page.errors.expect("the page has errors");
                let errors = ErrorReport { diagnostics: findings("SECRET"), ..found.clone() };
                Page { report: &report, errors: Some(&errors), ..*page }.data()["warnings"].clone()
            });
            assert_eq!(warnings.to_string().contains("SECRET"), texts == Texts::All);
            let warnings = warnings.as_array().expect("a list");
            assert_eq!(warnings.len(), Code::ALL.len());
            for ((line, code), warning) in (1..).zip(Code::ALL).zip(warnings) {
                assert_eq!(warning["code"], code.id());
                assert_eq!(warning["summary"], code.summary());
                assert_eq!(warning["count"], 2);
                let place = &warning["places"][0];
                assert_eq!((&place["file"], &place["line"]), (&"key.conll".into(), &line.into()));
                assert_eq!(place["document"], "d1");
            }
        }
    }

    #[test]
    fn texts_are_chosen_by_number_or_by_id() {
        let named = ["a".to_owned()];
        for (texts, shown) in [(Texts::First(0), 0), (Texts::First(1), 1), (Texts::Named(&named), 0)] {
            let data = page(texts, |page| page.data());
            assert_eq!(data["bodies"], serde_json::json!({ "shown": shown, "total": 1 }), "{texts:?}");
        }
    }
    #[test]
    fn the_bundle_cannot_end_its_elements() {
        assert!(!STYLE.contains("</"));
        assert!(!SCRIPT.to_lowercase().contains("</script") && !SCRIPT.contains("<!--"));
        let names: Vec<&str> =
            TEMPLATE.split("{{").skip(1).filter_map(|piece| piece.split("}}").next()).collect();
        assert_eq!(names, ["title", "style", "data", "script"]);
        assert!(TEMPLATE.contains("default-src 'none'; script-src 'sha256-"));
    }

    #[test]
    fn values_are_not_templates() {
        let parts = [("title", "{{data}}".to_owned()), ("data", "x".to_owned())];
        assert_eq!(fill("<{{title}}|{{data}}>", &parts), "<{{data}}|x>");
        assert_eq!(escaped("</title><b>&"), "&lt;/title&gt;&lt;b&gt;&amp;");
    }
}
