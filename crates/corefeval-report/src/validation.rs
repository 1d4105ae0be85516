//! Findings about files: underlined lines for reading, rows, and annotations of GitHub and SARIF.

use std::io::{self, Write};

use corefeval_core::diagnostic::{Code, Diagnostics, Severity};
use corefeval_core::formats::report_columns;
use corefeval_core::reports::validation::{ValidatedFile, ValidationReport};
use corefeval_core::validation::{Finding, fixes};
use corefeval_core::wording::{inert, plural, switch, text};
use serde_json::{Map, Value as Json, json};

use crate::block::{Alert, Block};
use crate::csv::Table;
use crate::json::document;
use crate::{Kind, Origin, Printable, Style};

/// The severities, the worst first, with their names in JSON and in counts.
const SEVERITIES: [(Severity, &str, &str); 3] = [
    (Severity::Error, "errors", "error"),
    (Severity::Warning, "warnings", "warning"),
    (Severity::Note, "notes", "note"),
];

impl Printable for ValidationReport {
    fn kind(&self) -> Kind {
        Kind::Validation
    }

    fn origin(&self) -> Origin<'_> {
        Origin { format: &self.format, ..Origin::default() }
    }

    /// A block for each finding, the corrections, and the number of findings.
    fn blocks(&self, _: &Style) -> Vec<Block<'_>> {
        let mut blocks: Vec<Block<'_>> =
            self.findings().map(|finding| Block::Alert(alert(finding))).collect();
        let mut notes: Vec<String> = self.files.iter().filter_map(corrected).collect();
        let fixable = self.findings().filter(|finding| finding.fixable).count();
        let counts: Vec<String> = SEVERITIES
            .iter()
            .map(|&(severity, many, one)| (self.count(severity), one, many))
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| plural(count, one, many))
            .collect();
        let files = self.files.iter().filter(|file| !file.directory).count();
        let files = plural(files, "file", "files");
        let found = if counts.is_empty() { "nothing found".to_owned() } else { counts.join(", ") };
        let fix = match fixable {
            0 => String::new(),
            many => text!("; {} may correct {} of them", switch("fix"), many).to_string(),
        };
        notes.push(format!("{files}: {found}{fix}"));
        blocks.push(Block::Notes(notes));
        blocks
    }

    fn json(&self) -> Json {
        let mut object = document(self.signature(), &self.settings, &Diagnostics::default());
        object["key"] = json!(self.key);
        object["counts"] = SEVERITIES
            .iter()
            .map(|(severity, name, _)| ((*name).to_owned(), json!(self.count(*severity))))
            .collect::<Map<_, _>>()
            .into();
        object["files"] = self.files.iter().map(file_object).collect();
        object
    }

    fn csv(&self) -> String {
        let mut table = Table::new(report_columns::VALIDATION);
        for file in &self.files {
            for finding in &file.findings {
                let position = finding.position.as_ref();
                table.text(position.map_or(file.path.as_str(), |position| &position.source));
                table.optional(position.map(|position| position.line).filter(|&line| line > 0));
                table.optional(position.map(|position| position.column).filter(|&column| column > 0));
                table.text(finding.severity.label());
                table.text(finding.code);
                table.text(finding.document.as_deref().unwrap_or_default());
                table.text(&finding.message.to_string());
                table.text(finding.excerpt.as_ref().map_or("", |excerpt| excerpt.marked.as_str()));
                table.text(&finding.remedy.as_ref().map(ToString::to_string).unwrap_or_default());
                table.text(if finding.fixable { "yes" } else { "no" });
                table.end_row();
            }
        }
        table.finish()
    }

    fn write_own(&self, output: &str, to: &mut dyn Write) -> Option<io::Result<()>> {
        Some(match output {
            "jsonlines" => {
                self.findings().try_for_each(|finding| writeln!(to, "{}", finding_object(finding)))
            }
            "github" => {
                let findings =
                    self.files.iter().flat_map(|file| file.findings.iter().map(move |each| (file, each)));
                findings.map(|(file, each)| annotation(file, each)).try_for_each(|text| write!(to, "{text}"))
            }
            "sarif" => writeln!(to, "{:#}", sarif(self)),
            _ => return None,
        })
    }
}

fn alert(finding: &Finding) -> Alert<'_> {
    let related = finding.related.iter().map(|(position, text)| format!("{position}: {text}"));
    let more = (finding.more > 0).then(|| format!("... and {} more like this", finding.more));
    let hint = hint(finding).map(|hint| format!("hint: {hint}"));
    let line = finding.position.as_ref().map_or(0, |position| position.line);
    Alert {
        place: finding.position.as_ref().map(ToString::to_string).unwrap_or_default().into(),
        severity: finding.severity.label(),
        message: finding.message.to_string().into(),
        code: finding.code,
        line: finding.excerpt.as_ref().map(|excerpt| {
            (line, [&excerpt.before, &excerpt.marked, &excerpt.after].map(|part| part.as_str().into()))
        }),
        notes: related.chain(more).chain(hint).collect(),
    }
}

/// The remedy of a finding that is more than a note, with the effect of `--fix`.
fn hint(finding: &Finding) -> Option<String> {
    let remedy = finding.remedy.as_ref().filter(|_| finding.severity > Severity::Note)?;
    let fix = fixes::FIXES.iter().find(|fix| finding.fixable && fix.code.id() == finding.code);
    let fix = fix.map(|fix| text!("; {} {}", switch("fix"), fix.action()).to_string());
    Some(format!("{remedy}{}", fix.unwrap_or_default()))
}

/// The corrections of a file.
fn corrected(file: &ValidatedFile) -> Option<String> {
    let fixed = file.fixed.as_ref()?;
    let codes: Vec<String> = fixed.codes.iter().map(|(code, count)| format!("{count} {code}")).collect();
    Some(format!("{}: corrected {}", fixed.path, codes.join(", ")))
}

fn file_object(file: &ValidatedFile) -> Json {
    let fixed = file.fixed.as_ref().map(|fixed| {
        let codes: Map<String, Json> =
            fixed.codes.iter().map(|(code, count)| ((*code).to_owned(), json!(count))).collect();
        json!({ "file": fixed.path, "codes": codes })
    });
    json!({
        "path": file.path,
        "directory": file.directory,
        "format": file.format,
        "documents": file.documents,
        "mentions": file.mentions,
        "fixed": fixed,
        "findings": file.findings.iter().map(finding_object).collect::<Vec<_>>(),
    })
}

fn finding_object(finding: &Finding) -> Json {
    let position = finding.position.as_ref();
    let related = finding.related.iter().map(|(position, text)| {
        json!({
            "file": &*position.source,
            "line": Some(position.line).filter(|&line| line > 0),
            "column": Some(position.column).filter(|&column| column > 0),
            "message": text.to_string(),
        })
    });
    json!({
        "code": finding.code,
        "severity": finding.severity.label(),
        "file": position.map(|position| &*position.source),
        "line": position.map(|position| position.line).filter(|&line| line > 0),
        "column": position.map(|position| position.column).filter(|&column| column > 0),
        "document": finding.document,
        "message": finding.message.to_string(),
        "remedy": finding.remedy.as_ref().map(ToString::to_string),
        "text": finding.excerpt.as_ref().map(|excerpt| excerpt.marked.as_str()),
        "related": related.collect::<Vec<_>>(),
        "more": finding.more,
        "fixable": finding.fixable,
    })
}

/// Escapes the characters that would end a value of a workflow command; with `of_property`, also escapes those that
/// would end a property.
fn escaped(text: &str, of_property: bool) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    if of_property { text.replace(':', "%3A").replace(',', "%2C") } else { text }
}

/// `::warning file=key.conll,line=3,col=15,title=…::message`.
fn annotation(file: &ValidatedFile, finding: &Finding) -> String {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let position = finding.position.as_ref();
    let source = position.map_or(file.path.as_str(), |position| &position.source);
    let mut properties = vec![format!("file={}", escaped(&inert(source), true))];
    if let Some(position) = position.filter(|position| position.line > 0) {
        properties.push(format!("line={}", position.line));
        properties.push(format!("endLine={}", position.line));
        if let Some(excerpt) = finding.excerpt.as_ref().filter(|_| position.column > 0) {
            properties.push(format!("col={}", excerpt.first));
            properties.push(format!("endColumn={}", excerpt.end.max(excerpt.first + 1) - 1));
        }
    }
    properties.push(format!("title=corefeval {}", escaped(finding.code, true)));
    let mut message = finding.message.to_string();
    if let Some(hint) = hint(finding) {
        message.push_str(&format!("\nhint: {hint}"));
    }
    format!("::{command} {}::{}\n", properties.join(","), escaped(&message, false))
}

/// A path as a reference relative to the root of the checked files, or as an absolute one.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte as char)
            }
            b'\\' => uri.push('/'),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

/// The level of SARIF.
fn level(severity: Severity) -> &'static str {
    severity.label()
}

/// The object of SARIF 2.1.0: a rule for each code that was found, a result for each finding.
fn sarif(report: &ValidationReport) -> Json {
    let codes: Vec<&'static str> = report.codes().into_keys().collect();
    let rule = |id: &&'static str| {
        let mut rule = json!({ "id": id });
        if let Some(code) = Code::ALL.iter().find(|code| code.id() == *id) {
            rule["shortDescription"] = json!({ "text": code.summary() });
            rule["help"] = json!({ "text": code.remedy().to_string() });
            rule["defaultConfiguration"] = json!({ "level": level(code.severity()) });
        }
        rule
    };
    let result = |file: &ValidatedFile, finding: &Finding| {
        let position = finding.position.as_ref();
        let source = position.map_or(file.path.as_str(), |position| &position.source);
        let mut place = json!({ "artifactLocation": { "uri": uri(source) } });
        if let Some(position) = position.filter(|position| position.line > 0) {
            let mut region = json!({ "startLine": position.line });
            if let Some(excerpt) = finding.excerpt.as_ref().filter(|_| position.column > 0) {
                region["startColumn"] = json!(excerpt.first);
                region["endColumn"] = json!(excerpt.end);
                if !excerpt.marked.is_empty() {
                    region["snippet"] = json!({ "text": excerpt.marked });
                }
            }
            place["region"] = region;
        }
        let related = finding.related.iter().map(|(position, text)| {
            let mut place = json!({ "artifactLocation": { "uri": uri(&position.source) } });
            if position.line > 0 {
                place["region"] = json!({ "startLine": position.line });
            }
            json!({ "physicalLocation": place, "message": { "text": text.to_string() } })
        });
        let mut text = finding.message.to_string();
        if let Some(hint) = hint(finding) {
            text.push_str(&format!(" ({hint})"));
        }
        let mut result = json!({
            "ruleId": finding.code,
            "ruleIndex": codes.iter().position(|code| *code == finding.code),
            "level": level(finding.severity),
            "message": { "text": text },
            "locations": [{ "physicalLocation": place }],
        });
        let related: Vec<Json> = related.collect();
        if !related.is_empty() {
            result["relatedLocations"] = Json::Array(related);
        }
        result
    };
    let results: Vec<Json> = report
        .files
        .iter()
        .flat_map(|file| file.findings.iter().map(move |finding| (file, finding)))
        .map(|(file, finding)| result(file, finding))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "corefeval",
                    "version": corefeval_core::VERSION,
                    "rules": codes.iter().map(rule).collect::<Vec<_>>(),
                }
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_references() {
        assert_eq!(uri("a b/ä.conll"), "a%20b/%C3%A4.conll");
        assert_eq!(uri("/x/a%.conll"), "file:///x/a%25.conll");
    }

    #[test]
    fn workflow_commands_cannot_be_injected() {
        assert_eq!(escaped("a\n::error::b%", false), "a%0A::error::b%25");
        assert_eq!(escaped("a,b:c", true), "a%2Cb%3Ac");
    }
}
