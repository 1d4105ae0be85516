//! The figures as text: a table for people, Markdown, JSON.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{Outcome, Reproduction};

/// Runs of outcomes of one paper.
fn papers(found: &Reproduction) -> impl Iterator<Item = &[Outcome]> {
    found.outcomes.chunk_by(|one, other| one.source == other.source)
}

fn width<'t>(texts: impl Iterator<Item = &'t str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}

/// Aligned columns, a block for each paper; what a paper says follows its figures.
pub fn table(found: &Reproduction) -> String {
    let mut text = String::new();
    let figures = || found.outcomes.iter().filter(|outcome| outcome.published.is_some());
    let place = width(figures().map(|outcome| outcome.place));
    let what = width(figures().map(|outcome| outcome.what.as_str()));
    for paper in papers(found) {
        let (figures, statements): (Vec<&Outcome>, Vec<&Outcome>) =
            paper.iter().partition(|outcome| outcome.published.is_some());
        let source = paper.first().map_or("", |outcome| outcome.source);
        if figures.is_empty() {
            let _ = writeln!(text, "{source}");
        } else {
            let indent = 2 + place + 2 + what;
            let _ = writeln!(
                text,
                "{source:indent$}  {:>9}  {:>9}  {:>10}",
                "published", "computed", "difference"
            );
        }
        for outcome in figures {
            let mark = outcome.verdict.mark();
            let published = outcome.published.unwrap_or_default();
            let (computed, difference) = (&outcome.computed, &outcome.difference);
            let _ = write!(text, "{mark} {:place$}  {:what$}", outcome.place, outcome.what);
            let line = format!("  {published:>9}  {computed:>9}  {difference:>10}");
            let _ = writeln!(text, "{}", line.trim_end());
            if !outcome.note.is_empty() {
                let _ = writeln!(text, "    {}", outcome.note);
            }
        }
        for outcome in statements {
            let mark = outcome.verdict.mark();
            let _ = writeln!(text, "{mark} {:place$}  {}", outcome.place, outcome.what);
            let _ = writeln!(text, "    {}", outcome.computed);
        }
        text.push('\n');
    }
    text.push_str("Not computed here\n");
    for left_out in found.left_out {
        let _ = writeln!(text, "- {}, {}: needs {}", left_out.source, left_out.place, left_out.needs);
        if let Some(command) = left_out.command {
            let _ = writeln!(text, "    {command}");
        }
    }
    let _ = writeln!(text, "\n{}\n\n{}", found.summary(), found.signature);
    text
}

/// The same as Markdown.
pub fn markdown(found: &Reproduction) -> String {
    let mut text = String::new();
    for paper in papers(found) {
        let source = paper.first().map_or("", |outcome| outcome.source);
        let _ = writeln!(text, "### {source}\n");
        text.push_str(
            "| | where | what | published | computed | difference |\n|---|---|---|---:|---:|---:|\n",
        );
        for outcome in paper {
            let note = if outcome.note.is_empty() { String::new() } else { format!(" ({})", outcome.note) };
            let _ = writeln!(
                text,
                "| {} | {} | {}{note} | {} | {} | {} |",
                outcome.verdict.mark(),
                outcome.place,
                outcome.what,
                outcome.published.unwrap_or_default(),
                outcome.computed,
                outcome.difference
            );
        }
        text.push('\n');
    }
    text.push_str("### Not computed here\n\n| paper | where | needs | command |\n|---|---|---|---|\n");
    for left_out in found.left_out {
        let command = left_out.command.map(|command| format!("`{command}`")).unwrap_or_default();
        let _ =
            writeln!(text, "| {} | {} | {} | {command} |", left_out.source, left_out.place, left_out.needs);
    }
    let _ = writeln!(text, "\n{}\n\n`{}`", found.summary(), found.signature);
    text
}

/// The same as one JSON object.
pub fn json(found: &Reproduction) -> String {
    let outcome = |outcome: &Outcome| -> Value {
        let mut object = Map::new();
        object.insert("source".to_owned(), json!(outcome.source));
        object.insert("place".to_owned(), json!(outcome.place));
        match outcome.published {
            Some(published) => {
                object.insert("figure".to_owned(), json!(outcome.what));
                object.insert("published".to_owned(), json!(published));
                object.insert("computed".to_owned(), json!(outcome.computed));
                object.insert("difference".to_owned(), json!(outcome.difference));
            }
            None => {
                object.insert("statement".to_owned(), json!(outcome.what));
                object.insert("computed".to_owned(), json!(outcome.computed));
            }
        }
        object.insert("verdict".to_owned(), json!(outcome.verdict.id()));
        if !outcome.note.is_empty() {
            object.insert("note".to_owned(), json!(outcome.note));
        }
        Value::Object(object)
    };
    let left_out = found.left_out.iter().map(|left_out| {
        json!({
            "source": left_out.source,
            "place": left_out.place,
            "needs": left_out.needs,
            "command": left_out.command,
        })
    });
    let document = json!({
        "corefeval": crate::VERSION,
        "signature": found.signature,
        "outcomes": found.outcomes.iter().map(outcome).collect::<Vec<_>>(),
        "left_out": left_out.collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}
