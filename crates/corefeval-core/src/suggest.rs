//! Suggestions for misspelled names.

/// Returns the name in `names` that is most similar to `typed`, if one is similar enough.
///
/// ```
/// use corefeval_core::suggest::nearest;
/// assert_eq!(nearest("jsonline", ["conll", "jsonlines"].into_iter()), Some("jsonlines"));
/// assert_eq!(nearest("xyz", ["conll", "jsonlines"].into_iter()), None);
/// ```
pub fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for name in names {
        let near = strsim::jaro_winkler(&typed, &name.to_lowercase());
        if near > best.map_or(0.75, |(score, _)| score) {
            best = Some((near, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Returns a hint that names the most similar of `names`, if one is similar enough.
pub fn did_you_mean<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    nearest(typed, names).map(|near| format!("did you mean `{near}`?"))
}

/// Returns a hint for a name that is not one of `names`: the most similar one, or all of them after `lead`.
pub fn one_of<'a>(typed: &str, lead: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    did_you_mean(typed, names.iter().copied()).unwrap_or_else(|| format!("{lead} {}", names.join(", ")))
}
