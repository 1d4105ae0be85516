//! Scores from tables of counts, without reading or aligning documents.

use crate::counts::CountTable;
use crate::diagnostic::{Code, Diagnostics, Position};
use crate::error::{Error, ErrorKind, Result};
use crate::formats::COUNTS;
use crate::input::Input;
use crate::metrics::Metric;
use crate::overlap::AlignedPair;
use crate::profiles::Profile;
use crate::results::{DocumentReports, Report, Row, Scoring, SideSize, SystemReport};
use crate::score::{
    DocumentTallies, PackedDocuments, Task, counted_metrics, report_of_tallies, totals, warn_of_totals,
};
use crate::settings::{Concern, Keep, OPTIONS, OptionSpec, Settings};
use crate::significance::{ResamplingUnit, ResamplingUnits};
use crate::threads::side_by_side;
use crate::wording::{Text, option, option_blank, option_value, quoted, text};

use corefeval_metrics::aligned::AlignedEntities;
use corefeval_metrics::packed::PackedTallies;
use corefeval_metrics::tally::Tally;

use super::compare::{Compare, CountedSystems};
use super::one_key::name_findings;
use super::options::no_effect;
use super::request::{Inputs, NamedInput, check_system_names, warn_of_idle_bound};
use super::{Evaluation, nothing};

impl Evaluation {
    /// Scores tables of counts, one per system.
    pub(super) fn score_counts(&self, tables: &[NamedInput]) -> Result<Report> {
        check_system_names(tables.iter().map(|table| table.name.as_str()))?;
        let mut diagnostics = Diagnostics::default();
        let task = self.task_of_counts(&mut diagnostics)?;
        let read = self.read_counts(tables)?;
        for (table, named) in read.iter().zip(tables) {
            if let Some(document) = read[0].differs_in_key(table) {
                let message = || keys_differ(&tables[0], named, document);
                diagnostics.add(Code::CountedKeysDiffer, None, None, message);
            }
        }
        let systems = read.into_iter().zip(tables).map(|(table, named)| {
            let mut found = table.diagnostics().clone();
            let (report, _) = score_table(&table, named, &task, &mut found);
            name_findings(&mut found, &named.name, []);
            diagnostics.merge(found);
            Ok(report)
        });
        let systems: Vec<SystemReport> = systems.collect::<Result<_>>()?;
        if systems.is_empty() {
            return Err(nothing());
        }
        self.refuse_warnings(&diagnostics)?;
        Ok(Report::new(task.settings, COUNTS.id.to_owned(), diagnostics, systems))
    }

    /// Adds up the tables of counts of the request, such as those of parts of the data.
    ///
    /// ```
    /// use corefeval_core::evaluation::{Evaluation, Inputs, NamedInput, Request};
    /// let part = |name: &str| NamedInput::of_bytes(name, b"key,response,count\ne1,r1,3\n");
    /// let sum = Evaluation::new(Request::new(Inputs::Counts(vec![part("1.csv"), part("2.csv")])))?.merge()?;
    /// assert_eq!(sum.to_csv()?, "key,response,count\ne1,r1,6\n");
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A table cannot be read or added, or all are empty.
    pub fn merge(&self) -> Result<CountTable> {
        let Inputs::Counts(tables) = &self.request.inputs else {
            let error = Error::new(ErrorKind::Settings, "only tables of counts can be added up");
            return Err(error.hint("convert and score documents instead"));
        };
        self.check_present()?;
        let inputs: Vec<&Input> = tables.iter().map(|named| &named.input).collect();
        let sum = self.observed_reading(&inputs, |read| {
            let mut sum = CountTable::default();
            inputs.iter().try_for_each(|input| sum.add_input(input, &self.request.limits, read))?;
            Ok(sum)
        })?;
        sum.check_filled().map_err(|error| {
            // If there are several, all lack rows.
            let mut places = inputs.iter().map(|input| Position::new(&input.name().into(), 0, 0));
            let error = places.next().into_iter().fold(error, Error::at);
            places.fold(error, |error, place| error.with_place(place, "this table has no counts either"))
        })?;
        Ok(sum)
    }

    /// Counts the documents of tables, for a comparison. All tables need the same key.
    pub(super) fn count_tables(&self, tables: &[NamedInput], asked: &Compare) -> Result<CountedSystems> {
        let mut diagnostics = Diagnostics::default();
        let task = self.task_of_counts(&mut diagnostics)?;
        let refused = [
            ("by", task.by.is_some()),
            ("systems", !asked.folders.is_empty()),
            ("runs", !asked.runs.is_empty()),
            ("cache", asked.cache.is_some()),
            ("shared-documents", asked.shared_documents),
            ("skip-broken", asked.skip_broken),
            ("unit", matches!(asked.method.unit, ResamplingUnit::Topic | ResamplingUnit::File)),
        ];
        if let Some((name, _)) = refused.iter().find(|refused| refused.1) {
            let message = text!("{} cannot be used with tables of counts", option(*name));
            return Err(Error::new(ErrorKind::Settings, message).hint("compare the responses themselves"));
        }
        let mut read = self.read_counts(tables)?;
        for (table, named) in read.iter().zip(tables) {
            read[0].check_columns(table).map_err(|error| about(named, error))?;
        }
        let mut all = CountTable::default();
        read.iter().for_each(|table| all.add_documents_of(table));
        read.iter_mut().for_each(|table| table.add_documents_of(&all));
        let (mut reports, mut tallies) = (Vec::new(), Vec::new());
        // Tables are scored in parallel, and their documents with the remaining threads.
        let of_one = Task { threads: (task.threads / read.len().max(1)).max(1), ..task.clone() };
        let scored = side_by_side(task.threads, read.len(), |place| {
            let (table, named) = (&read[place], &tables[place]);
            if let Some(document) = read[0].differs_in_key(table) {
                return Err(Error::new(ErrorKind::Pairing, keys_differ(&tables[0], named, document))
                    .hint("count all systems against one key, including the mentions that a system lacks"));
            }
            let mut found = table.diagnostics().clone();
            let scored = score_table(table, named, &of_one, &mut found);
            name_findings(&mut found, &named.name, []);
            Ok((scored, found))
        });
        for one in scored {
            let ((report, documents), found) = one?;
            diagnostics.merge(found);
            reports.push(report);
            tallies.push(PackedDocuments::of(documents));
        }
        let Some(documents) = tallies.first().map(PackedDocuments::len) else { return Err(nothing()) };
        Ok(CountedSystems {
            task,
            diagnostics,
            format: COUNTS.id.to_owned(),
            left_out: None,
            broken: Vec::new(),
            reports,
            tallies,
            grouped: Vec::new(),
            groups: Vec::new(),
            units: ResamplingUnits::single(documents),
            cached: 0,
        })
    }

    /// Returns the task for tables of counts. Fails for options that act before mentions are counted. Metrics that need
    /// more than counts are an error if requested by name, otherwise left out.
    fn task_of_counts(&self, diagnostics: &mut Diagnostics) -> Result<Task> {
        if let Some(chosen) = self.request.chosen_options().find(|option| !acts_on_counts(option)) {
            return Err(no_effect(chosen.name, "tables of counts")
                .hint("leave it out; it applies where the mentions are counted"));
        }
        if let Some(by) = self.request.by.filter(|by| !by.is("document")) {
            let message = text!("tables of counts have no groups by {}", by.id());
            return Err(Error::new(ErrorKind::Settings, message)
                .hint(text!("use {}", option_value("by", "document"))));
        }
        let mut task = self.request.task(COUNTS.id)?;
        let (possible, others): (Vec<Metric>, Vec<Metric>) =
            task.metrics.iter().partition(|metric| metric.needs_entities_alone().is_ok());
        for metric in others {
            if self.request.names_metric(&metric) {
                metric.needs_entities_alone()?;
            }
            diagnostics.add(Code::MetricImpossible, None, None, || {
                format!(
                    "{} was left out: it cannot be computed from counts of shared mentions",
                    metric.label()
                )
            });
        }
        task.metrics = possible;
        keep_what_acts(&mut task.settings, diagnostics)?;
        warn_of_idle_bound(&task, diagnostics);
        if task.metrics.is_empty() {
            let message = "none of the metrics can be computed from counts of shared mentions";
            return Err(Error::new(ErrorKind::Settings, message)
                .hint(text!("choose others: {}", option_blank("metrics", "LIST"))));
        }
        Ok(task)
    }

    /// Reads the tables in parallel.
    fn read_counts(&self, tables: &[NamedInput]) -> Result<Vec<CountTable>> {
        self.check_present()?;
        let inputs: Vec<&Input> = tables.iter().map(|named| &named.input).collect();
        self.observed_reading(&inputs, |read| {
            let one = |place: usize| {
                let table = CountTable::read(inputs[place], &self.request.limits, read)?;
                table.check_filled().map_err(|error| about(&tables[place], error))?;
                Ok(table)
            };
            side_by_side(self.request.threads, tables.len(), one).into_iter().collect()
        })
    }
}

/// Describes how the keys of two tables differ in a document, whose id may be empty.
fn keys_differ(one: &NamedInput, other: &NamedInput, document: &str) -> Text {
    let keys = text!("the keys of {} and {} differ", quoted(&one.name), quoted(&other.name));
    if document.is_empty() { keys } else { text!("{} in the document {}", keys, quoted(document)) }
}

/// Adds to an error the input that it is about.
fn about(named: &NamedInput, error: Error) -> Error {
    error.at(Position::new(&named.input.name().into(), 0, 0))
}

/// Keeps the settings of a profile that still apply to counted mentions, so that the signature names only settings that
/// were applied.
fn keep_what_acts(settings: &mut Settings, diagnostics: &mut Diagnostics) -> Result<()> {
    let profile = settings.profile;
    let usual = Settings::of(Profile::for_format(COUNTS.id));
    let differs = |option: &&OptionSpec| {
        !acts_on_counts(option) && !option.concerns_files() && option.value(settings) != option.value(&usual)
    };
    let idle: Vec<&OptionSpec> = OPTIONS.iter().filter(differs).collect();
    if idle.is_empty() {
        return Ok(());
    }
    let listed = idle.iter().filter(|option| option.name != "check-tokens");
    let named: Vec<String> =
        listed.map(|option| format!("{}:{}", option.name, option.value(settings))).collect();
    for option in idle {
        settings.set(option.name, option.value(&usual))?;
    }
    settings.profile = usual.profile;
    if named.is_empty() {
        return Ok(());
    }
    diagnostics.add(Code::WithoutEffect, None, None, || {
        format!(
            "tables of counts are scored after matching: from the profile {}, {} {} no effect",
            profile.id,
            named.join(" "),
            if named.len() == 1 { "has" } else { "have" }
        )
    });
    Ok(())
}

/// Returns whether a setting still applies to counted mentions.
fn acts_on_counts(option: &OptionSpec) -> bool {
    option.concern == Concern::OwnMetrics || ["singletons", "average"].contains(&option.name)
}

/// The smallest number of key mentions for which metrics are counted in parallel.
const MANY: u64 = 1 << 17;

/// Counts a document with its metrics on up to `threads` threads, and returns its tallies and the sizes of both sides.
pub(super) fn tally_overlap(
    id: String,
    entities: AlignedEntities,
    counted: &[Metric],
    settings: &Settings,
    threads: usize,
) -> (DocumentTallies, [SideSize; 2]) {
    let overlap = entities.recall_view();
    let unlinked = overlap.unlinked_mentions();
    let sizes = [overlap.key_sizes(), overlap.response_sizes()].map(|entities| {
        let mut size = SideSize { documents: 1, words: None, unlinked, ..SideSize::default() };
        size.add_entities(entities);
        size
    });
    let pair = AlignedPair::from(entities).following(settings);
    // Counting metrics in parallel takes more memory, but less than reading many mentions has already taken.
    let threads = if sizes[0].mentions < MANY { 1 } else { threads };
    let tallies = side_by_side(threads, counted.len(), |place| {
        let mut tally = Tally::default();
        counted[place].tally(&pair, &mut tally);
        tally
    });
    (DocumentTallies { id, tallies, mentions: pair.mentions() }, sizes)
}

/// Returns the scores of documents without separate rows.
pub(super) fn report_of_counts(
    task: &Task,
    documents: &[DocumentTallies],
    sizes: [SideSize; 2],
    diagnostics: &mut Diagnostics,
) -> SystemReport {
    let counted = counted_metrics(&task.metrics);
    let report = report_of_tallies(task, documents, None);
    let possible = vec![true; counted.len()];
    warn_of_totals(
        &report.results,
        (&counted, &possible),
        &totals(documents, counted.len()),
        &sizes,
        diagnostics,
    );
    SystemReport { sizes, ..report }
}

/// Returns the scores of a table, and the counts of each of its documents.
fn score_table(
    table: &CountTable,
    named: &NamedInput,
    task: &Task,
    diagnostics: &mut Diagnostics,
) -> (SystemReport, Vec<DocumentTallies>) {
    let counted = counted_metrics(&task.metrics);
    let of_table = table.documents();
    // For a single document, the metrics are counted in parallel.
    let of_metrics = if of_table.len() == 1 { task.threads } else { 1 };
    let each = side_by_side(task.threads, of_table.len(), |place| {
        let document = of_table[place];
        let entities = AlignedEntities::new(document.overlap(task.settings.singletons == Keep::Drop));
        tally_overlap(document.id().to_owned(), entities, &counted, &task.settings, of_metrics)
    });
    let (mut documents, mut sizes) = (Vec::new(), [SideSize::default(); 2]);
    for (tallies, own) in each {
        documents.push(tallies);
        sizes.iter_mut().zip(&own).for_each(|(sum, size)| sum.add(size));
    }
    let mut report = report_of_counts(task, &documents, sizes, diagnostics);
    if let Some(by) = task.by {
        let row = |(place, document): (usize, &DocumentTallies)| Row {
            labels: [(place, document.id.clone())].into(),
            tallies: PackedTallies::new(&document.tallies),
        };
        let rows = documents.iter().enumerate().map(row).collect();
        report.by = Some(by);
        report.documents = DocumentReports::new(Scoring::of(&task.metrics, &task.settings, false), rows);
    }
    let name = named.name.clone();
    let (key, response) = (named.path.clone(), named.path.clone());
    (SystemReport { name, key, response, ..report }, documents)
}
