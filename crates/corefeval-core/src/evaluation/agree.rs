//! Agreement of annotators: scores annotators against each other, and measures their agreement beyond chance.

use crate::agreement::{Agreement, DocumentAgreement, agreement, count_document};
use crate::diagnostic::{Code, Diagnostics};
use crate::error::{Error, ErrorKind, Result};
use crate::input::Input;
use crate::model::{Document, Side};
use crate::pairing::DocumentPair;
use crate::reports::agreement::AgreementReport;
use crate::results::SystemReport;
use crate::score::{Task, score_pairs};
use crate::settings::{Align, OPTIONS, Settings, Switch};
use crate::significance::{FEW_DOCUMENTS, Method, ResamplingUnits, warn_of_few_resamples};
use crate::wording::{Part, option, option_blank, option_name, option_value, switch, text};

use super::one_key::name_findings;
use super::reading::Reading;
use super::request::{Inputs, NamedInput};
use super::systems::{PairedSystem, only_scored, share};
use super::{
    Evaluation, Joined, NameSources, TaskKind, add_format, check_names, corpora, formats_of, nothing,
};

/// The options of a comparison of annotators.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Agree {
    /// Resampling and intervals of α, with the fields in [`Agree::METHOD`].
    pub method: Method,
    /// True to compare on the documents that all annotators have; otherwise a missing document is an error.
    pub shared_documents: bool,
}

impl Agree {
    /// The fields of a method that intervals of α depend on.
    pub const METHOD: &'static [&'static str] = Method::OF_INTERVALS;
}

impl Evaluation {
    /// Scores annotators against each other, in both directions, and computes Krippendorff's α. The key and the
    /// responses of the request are the annotators.
    ///
    /// # Errors
    ///
    /// The errors of reading the inputs and of pairing their documents. Annotators have different documents, unless
    /// only shared documents are compared.
    pub fn agree(&self, agree: &Agree) -> Result<AgreementReport> {
        self.require_exact()?;
        let (before, key, responses) = self.annotators()?;
        let annotators: Vec<_> = std::iter::once(key).chain(responses).collect();
        let names = names(&annotators)?;
        let reading = Reading::new(self, &before).of_annotators();
        let inputs: Vec<(&Input, Side)> = annotators.iter().map(|named| (&named.input, Side::Key)).collect();
        let loaded = self.kept(reading.read_all(&inputs)?);
        let ((first, first_format), others) = loaded.split_first().ok_or_else(nothing)?;
        // Groups apply to α only.
        let mut task = Task { by: None, ..self.task(first_format)? };
        let (mut format, mut diagnostics) = (first_format.id.to_owned(), first.diagnostics.clone());
        name_findings(&mut diagnostics, &names[0], []);
        let all = corpora(first, others);
        let align = if task.settings.aligns_texts() { Align::Words } else { task.settings.align };
        let applied = Settings { align, ..task.settings.clone() };
        self.apply(&mut task.settings, applied, "annotators", &mut diagnostics);
        let used = [Agree::METHOD, &["documents"]].concat();
        self.request.warn_of_unused_fields(&used, "annotators", &mut diagnostics);
        self.settle(&mut task, &formats_of(&loaded), &all, NameSources::of(&all), &mut diagnostics)?;
        let settings = task.settings.clone();
        let mut paired = Vec::new();
        for ((named, name), (corpus, spec)) in responses.iter().zip(&names[1..]).zip(others) {
            add_format(&mut format, spec);
            let mut found = corpus.diagnostics.clone();
            name_findings(&mut found, name, []);
            diagnostics.merge(found);
            let mut found = Diagnostics::default();
            let sides = [(&key.input, first), (&named.input, corpus)];
            let pairs = reading.pair(&settings, sides, &mut found)?;
            // Missing documents are reported below, for all annotators together.
            found.forget(Code::MissingDocument);
            name_findings(&mut found, name, &first.documents);
            diagnostics.merge(found);
            let (name, key, response) = (named.name.clone(), key.path.clone(), named.path.clone());
            paired.push(PairedSystem::new(name, key, response, pairs));
        }
        let left_out =
            share(&mut paired, agree.shared_documents, &mut diagnostics)?.map(|places| places.len());
        let paired: Vec<Vec<DocumentPair<'_>>> = paired.into_iter().map(|system| system.pairs).collect();
        let joined = paired.into_iter().map(|pairs| Joined::new(pairs, &settings, &mut diagnostics));
        let joined: Vec<Joined<'_>> = joined.collect::<Result<_>>()?;
        let paired: Vec<Vec<DocumentPair<'_>>> = joined.iter().map(Joined::pairs).collect();
        let documents = by_annotator(&paired)?;
        let mut pairs = Vec::new();
        let mut systems = Vec::new();
        for one in 0..documents.len() {
            for other in (0..documents.len()).filter(|&other| other != one) {
                let mut found = Diagnostics::default();
                let mut system = score_one_way([&documents[one], &documents[other]], &task, &mut found)?;
                let input = |place: usize| (&annotators[place].input, loaded[place].1);
                reading.ends_options([input(one), input(other)]).name_in(&mut found);
                system.name = format!("{} → {}", names[one], names[other]);
                system.key.clone_from(&annotators[one].path);
                system.response.clone_from(&annotators[other].path);
                // Each pair is scored in both directions, but warns only once.
                if one < other {
                    name_findings(&mut found, &system.name, documents[one].iter().copied());
                    diagnostics.merge(found);
                }
                pairs.push([one, other]);
                systems.push(system);
            }
        }
        let units = ResamplingUnits::of(&paired[0], agree.method.unit, &mut diagnostics)?;
        let agreement = alphas(&documents, &units, &settings, &agree.method, &mut diagnostics)?;
        self.refuse_warnings(&diagnostics)?;
        let (annotators, by_document) = (names, self.request.by.is_some());
        Ok(AgreementReport {
            settings,
            format,
            diagnostics,
            annotators,
            pairs,
            systems,
            agreement,
            by_document,
            left_out,
        })
    }

    /// Returns the settings before the inputs are read, and the annotators: the first and the others. Fails for options
    /// that agreement does not support.
    fn annotators(&self) -> Result<(Settings, &NamedInput, &[NamedInput])> {
        if let Some(by) = self.request.by.filter(|by| !by.is("document")) {
            let message = format!("α is computed for the corpus or for each document, not by {}", by.id());
            return Err(Error::new(ErrorKind::Settings, message)
                .hint(text!("use {}", option_value("by", "document"))));
        }
        if self
            .request
            .response_format
            .is_some_and(|format| self.request.key_format.is_none_or(|key| key.id != format.id))
        {
            let message =
                "annotators cannot be given different formats: name one for all, or let each be detected";
            return Err(Error::new(ErrorKind::Settings, message).hint(text!("use {}", option("format"))));
        }
        if matches!(&self.request.inputs, Inputs::OneKey { responses, .. } if responses.is_empty()) {
            let error = Error::new(ErrorKind::Settings, "agreement needs two annotators or more");
            return Err(error.hint("name another annotator"));
        }
        let before = self.settings_before()?;
        for side in ["key-span-end", "response-span-end"] {
            let row = OPTIONS.iter().find(|row| row.name == side);
            if row.is_some_and(|row| row.value(&before) != "both") {
                let message = text!("{} applies to one side, and annotators have none", option_name(side));
                return Err(Error::new(ErrorKind::Settings, message).hint(text!(
                    "use {} for all annotators, or {} for one",
                    option("span-end"),
                    option_blank("span-end-of", "NAME=END")
                )));
            }
        }
        let refuse = || {
            let message = "agreement compares annotations of one corpus and does not pair files";
            Error::new(ErrorKind::Settings, message).hint(text!(
                "give directories without {}; {} distinguishes documents of the same id in several files",
                switch("pair-files"),
                switch("ids-by-file")
            ))
        };
        let (key, responses) = match &self.request.inputs {
            Inputs::OneKey { key, responses } => (key, responses),
            Inputs::Counts(_) => return Err(only_scored(TaskKind::Agree)),
            _ => return Err(refuse()),
        };
        match before.pair_files {
            Switch::Yes => Err(refuse()),
            Switch::No => Ok((before, key, responses)),
        }
    }
}

/// Returns the documents of each annotator, in the order of the first, whose documents are the keys of all pairs.
fn by_annotator<'d>(paired: &[Vec<DocumentPair<'d>>]) -> Result<Vec<Vec<&'d Document>>> {
    let first: Vec<&Document> = paired[0].iter().map(|pair| pair.key).collect();
    if first.is_empty() {
        return Err(Error::new(ErrorKind::Pairing, "the annotators have no document in common"));
    }
    let others = paired.iter().map(|pairs| pairs.iter().filter_map(|pair| pair.response).collect());
    Ok(std::iter::once(first).chain(others).collect())
}

/// Scores the documents of an annotator as the response to those of another.
fn score_one_way(
    [key, response]: [&[&Document]; 2],
    task: &Task,
    diagnostics: &mut Diagnostics,
) -> Result<SystemReport> {
    let both = key.iter().zip(response);
    let both: Vec<_> = both.map(|(&key, &response)| DocumentPair { key, response: Some(response) }).collect();
    let system = score_pairs(&both, task, diagnostics)?;
    check_names(&system)?;
    Ok(system)
}

/// Computes α from the documents of each annotator, which are in the same order, and warns if they are too few for
/// intervals.
fn alphas(
    documents: &[Vec<&Document>],
    units: &ResamplingUnits,
    settings: &Settings,
    method: &Method,
    diagnostics: &mut Diagnostics,
) -> Result<Agreement> {
    let counted: Vec<DocumentAgreement> = (0..documents[0].len())
        .map(|place| {
            let of_all: Vec<&Document> = documents.iter().map(|documents| documents[place]).collect();
            count_document(&of_all, settings, &mut Diagnostics::default())
        })
        .collect::<Result<_>>()?;
    if (2..FEW_DOCUMENTS).contains(&units.number()) {
        diagnostics.add(Code::FewDocuments, None, None, || {
            format!("the annotators are compared on {}", units.described(method.unit))
        });
    }
    if units.number() > 1 {
        warn_of_few_resamples(method.too_few_resamples(0), diagnostics);
    }
    Ok(agreement(&counted, units, documents.len(), method))
}

/// Returns the names of annotators; files with the same name are named by their paths.
fn names(annotators: &[&NamedInput]) -> Result<Vec<String>> {
    let twice = |name: &str| annotators.iter().filter(|other| other.name == name).count() > 1;
    let names: Vec<String> = annotators
        .iter()
        .map(|named| if twice(&named.name) && !named.named { named.path.clone() } else { named.name.clone() })
        .collect();
    match (1..names.len()).find(|&place| names[..place].contains(&names[place])) {
        None => Ok(names),
        Some(place) => {
            let message = format!("two annotators are called `{}`", names[place]);
            Err(Error::new(ErrorKind::Settings, message)
                .hint(text!("give each a unique name: {}", Part::NamedPath)))
        }
    }
}
