//! Analysis of errors: their kinds, the cost of each kind, and examples.

use crate::analysis::{
    AnalysisTask, COREF_ERRORS, CommonErrors, CorefErrorKind, ErrorAnalysis, ErrorReport, LANGUAGES,
    Language, Tree, TypeRule, analyse, applied_settings, metrics_of_corrections,
};
use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::FORMATS;
use crate::metrics::Metric;
use crate::model::Corpus;
use crate::pairing::DocumentPair;
use crate::score::{
    counted_metrics, warn_of_few_spans_shared, warn_of_one_sided_singletons, warn_of_undefined_parts,
};
use crate::settings::{Match, Scope, Settings};
use crate::suggest::one_of;
use crate::wording::{option_name, option_value, quoted, text};

use super::one_key::{Done, name_system, sides};
use super::options::Values;
use super::reading::{Loaded, Reading};
use super::request::check_system_names;
use super::{Evaluation, Joined};

/// The options of an analysis of errors.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Errors {
    /// The kinds to show, in the order of [`COREF_ERRORS`].
    pub kinds: Vec<CorefErrorKind>,
    /// The antecedent shown for a link error.
    pub tree: Tree,
    /// The language of text without parts of speech; by default detected from its pronouns.
    pub language: Option<&'static Language>,
    /// The word that determines the type of a mention.
    pub types: TypeRule,
    /// The number of examples of each kind to show.
    pub examples: usize,
    /// True to list every error. With several responses, errors are always listed, for comparison.
    pub rows: bool,
}

impl Default for Errors {
    fn default() -> Errors {
        let kinds = COREF_ERRORS.iter().map(|spec| spec.kind).collect();
        Errors {
            kinds,
            tree: Tree::default(),
            language: None,
            types: TypeRule::default(),
            examples: 2,
            rows: true,
        }
    }
}

impl Errors {
    /// Applies all options that were given.
    ///
    /// # Errors
    ///
    /// An option has a value that is not supported: an unknown kind of error, antecedent tree, language or rule for
    /// types, or a number of examples that is not a whole number.
    pub fn with(given: &impl Values) -> Result<Errors> {
        let mut errors = Errors::default();
        let signed = given.value("settings").map(|signature| ErrorReport::split_signature(&signature).1);
        let signed = |name: &str| {
            let field = signed.iter().flatten().find(|field| field.0 == name);
            field.map(|field| field.1.clone())
        };
        let given_or_signed = |name: &str| given.value(name).or_else(|| signed(name));
        if let Some(list) = given.value("kinds") {
            errors.kinds = kinds(&list)?;
        }
        if let Some(tree) = given_or_signed("tree") {
            errors.tree = Tree::from_id(&tree).ok_or_else(|| no_value("tree", &tree))?;
        }
        if let Some(code) = given_or_signed("language") {
            let row = LANGUAGES.iter().find(|row| row.code == code);
            errors.language = Some(row.ok_or_else(|| no_value("language", &code))?);
        }
        if let Some(rule) = given_or_signed("types") {
            errors.types = TypeRule::from_id(&rule).ok_or_else(|| no_value("types", &rule))?;
        }
        if let Some(number) = given.value("examples") {
            errors.examples = number.parse().map_err(|_| no_value("examples", &number))?;
        }
        Ok(errors)
    }
}

fn no_value(name: &str, value: &str) -> Error {
    Error::new(
        ErrorKind::Settings,
        text!("{} is not a valid value for {}", quoted(value), option_name(name.to_owned())),
    )
}

/// Parses a list of kinds joined by commas, and returns them in the order of the table.
fn kinds(list: &str) -> Result<Vec<CorefErrorKind>> {
    let ids = || COREF_ERRORS.iter().map(|spec| spec.id);
    if let Some(item) = list.split(',').map(str::trim).find(|item| !ids().any(|id| id == *item)) {
        let hint = one_of(item, "the kinds are", ids());
        let error = Error::new(ErrorKind::Settings, format!("`{item}` is not an error kind"));
        return Err(error.hint(hint));
    }
    let named = |id: &str| list.split(',').any(|item| item.trim() == id);
    Ok(COREF_ERRORS.iter().filter(|spec| named(spec.id)).map(|spec| spec.kind).collect())
}

/// Returns the metrics, followed by the parts of means that are not among them: a part may be undefined.
fn with_parts(metrics: &[Metric]) -> Vec<Metric> {
    let parts = counted_metrics(metrics).into_iter().filter(|part| !metrics.contains(part));
    metrics.iter().copied().chain(parts).collect()
}

impl Evaluation {
    /// Analyses the errors of every response.
    ///
    /// # Errors
    ///
    /// The inputs are not responses to one key, two responses have the same name, scores by groups or with bounds are
    /// requested, or no response names its antecedents although [`Tree::Decisions`] requires them. Also the errors of
    /// reading the inputs and of pairing their documents, and in strict mode any warning.
    pub fn errors(&self, errors: &Errors) -> Result<ErrorReport> {
        self.require_exact()?;
        let before = self.settings_before()?;
        let Some((key, responses)) = self.one_key(&before) else {
            let error = Error::new(ErrorKind::Settings, "errors are analysed against one key");
            return Err(error.hint("analyse pairs of files one by one, each given as paths"));
        };
        self.refuse_groups("an analysis of errors")?;
        check_system_names(responses.iter().map(|response| response.name.as_str()))?;
        let reading = Reading::new(self, &before).with_layers_to_show(&before);
        let all = self.kept(reading.read_all(&sides(key, responses))?);
        check_tree(errors.tree, &all[1..])?;
        let (mut without_cost, mut scored_with) = (Vec::new(), None);
        let one_key = self.settled(&reading, (key, responses), &all, |task, diagnostics| {
            without_cost = std::mem::take(&mut task.metrics);
            task.metrics = metrics_of_corrections(&without_cost);
            without_cost.retain(|metric| !task.metrics.contains(metric));
            let applied = applied_settings(&task.settings);
            scored_with = Some(task.settings.clone());
            self.request.warn_of_unused_fields(&ErrorReport::CHOICES, "errors", diagnostics);
            self.apply(&mut task.settings, applied, "errors", diagnostics);
            Ok(())
        })?;
        let task = &one_key.task;
        let analysis = AnalysisTask {
            // The source of names is already known.
            settings: Settings { named: task.settings.named, ..scored_with.unwrap_or(task.settings.clone()) },
            metrics: with_parts(&task.metrics),
            tree: errors.tree,
            language: errors.language,
            types: errors.types,
            examples: errors.examples,
            rows: errors.rows,
            compared: responses.len() > 1,
            threads: task.threads,
        };
        let done = one_key.each(|task, named, pairs, own| {
            warn_of_unknown_links(errors.tree, task.settings.scope, &pairs, own);
            let joined = Joined::new(pairs, &task.settings, own)?;
            let mut system = analyse(&joined.pairs(), &analysis, own);
            // Mentions that match exactly have the same ends.
            let matched = if task.settings.matching == Match::Exact { system.matched } else { 0 };
            if matched == 0 || 3 * matched < system.annotated[0].min(system.annotated[1]) {
                warn_of_few_spans_shared(&joined.pairs(), own);
            }
            joined.count_texts(&mut system.sizes);
            warn_of_language(errors.language, &system, own);
            warn_of_one_sided_singletons(&counted_metrics(&task.metrics), &system.sizes, own);
            let scores = system.scored.as_deref().or(system.sequence.first().map(|step| &step.results[..]));
            let scores = scores.unwrap_or_default();
            let totals = scores.iter().filter_map(|result| Some((&result.metric, result.tally.as_ref()?)));
            warn_of_undefined_parts(scores, totals, own);
            system.keep_metrics(&task.metrics);
            name_system([&mut system.name, &mut system.key, &mut system.response], key, named);
            Ok(system)
        })?;
        let Done { task, format, diagnostics, systems } = done;
        all.release(task.threads);
        let common = CommonErrors::of(&systems);
        let (settings, kinds, tree) = (task.settings, errors.kinds.clone(), errors.tree);
        let (types, language) = (errors.types, errors.language);
        Ok(ErrorReport {
            settings,
            format,
            diagnostics,
            kinds,
            tree,
            types,
            language,
            without_cost,
            systems,
            common,
        })
    }
}

/// Reports that a language was given, although no list of words determines types of mentions.
pub(super) fn warn_of_language(
    given: Option<&Language>,
    system: &ErrorAnalysis,
    diagnostics: &mut Diagnostics,
) {
    let Some(given) = given.filter(|_| system.language.is_none()) else { return };
    diagnostics.add(Code::WithoutEffect, None, None, || {
        let why = match system.has_sentences {
            true => "the words have parts of speech",
            false => "the documents have no text",
        };
        format!("`language:{}` has no effect: {why}", given.code)
    });
}

/// Reports responses without links if decisions are requested. `pairs` are the documents before they are joined: the
/// decisions of documents that are scored as one are known only if all of them have links.
fn warn_of_unknown_links(
    tree: Tree,
    scope: Scope,
    pairs: &[DocumentPair<'_>],
    diagnostics: &mut Diagnostics,
) {
    let responses = pairs.iter().filter_map(|pair| pair.response).filter(|_| tree == Tree::Decisions);
    for document in responses.filter(|document| document.lacks_links()) {
        let id = document.id().to_string();
        diagnostics.add(Code::WithoutEffect, Some(document.position()), Some(id.clone()), || {
            let [tree, otherwise] = [tree, Tree::default()].map(|tree| option_value("tree", tree.id()));
            let with_it = match scope {
                Scope::Document => "",
                Scope::Topic => " to the documents of its topic",
                Scope::Corpus => " to all documents",
            };
            text!(
                "{} has no effect on {}, which does not link all its mentions: {} applies{}",
                tree,
                quoted(id),
                otherwise,
                with_it
            )
        });
    }
}

/// Fails if decisions are requested and no response records any.
fn check_tree(tree: Tree, responses: &[Loaded]) -> Result<()> {
    let has_links = |corpus: &Corpus| corpus.documents.iter().any(|document| !document.lacks_links());
    if tree != Tree::Decisions || responses.iter().any(|(corpus, _)| has_links(corpus)) {
        return Ok(());
    }
    let otherwise = option_value("tree", "accessibility");
    if let Some(notation) = responses.iter().find_map(|(_, format)| format.link_notation) {
        let error = Error::new(ErrorKind::Settings, "no response names the antecedents of all its mentions");
        return Err(error.hint(text!("write entities as links ({}), or {}", notation, otherwise)));
    }
    let error = Error::new(ErrorKind::Settings, "no response names the antecedents of its mentions");
    let formats = FORMATS.iter().filter(|format| format.link_notation.is_some()).map(|format| format.id);
    let formats = formats.collect::<Vec<_>>().join(", ");
    Err(error.hint(text!("use a format that writes links ({}), or {}", formats, otherwise)))
}
