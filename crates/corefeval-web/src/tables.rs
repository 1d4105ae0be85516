//! The library's tables, from which a page makes its controls.

use corefeval_core::error::Result;
use corefeval_core::formats::FormatSpec;
use corefeval_core::metrics::METRICS;
use corefeval_core::profiles::PROFILES;
use corefeval_core::settings::{Formats, OPTIONS};
use corefeval_core::significance::{METHOD_FIELDS, Method};
use corefeval_report::{Kind, OUTPUTS};
use serde::{Deserialize, Serialize};

use crate::declare::declared;

declared! {
    /// A request without members.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Nothing {}

    /// The tables of the library.
    #[derive(Serialize)]
    pub struct Tables {
        /// The version of corefeval.
        pub version: &'static str,
        /// The metrics, in the order in which they are shown.
        pub metrics: Vec<MetricRow>,
        /// The formats of files.
        pub formats: Vec<FormatRow>,
        /// The rules of other scorers and of shared tasks.
        pub profiles: Vec<ProfileRow>,
        /// The options that scores depend on.
        pub options: Vec<OptionRow>,
        /// The options of comparisons.
        pub method: Vec<OptionRow>,
        /// The outputs of scores.
        pub outputs: Vec<OutputRow>,
    }

    /// A metric.
    #[derive(Serialize)]
    pub struct MetricRow {
        /// The name in requests.
        pub id: &'static str,
        /// The name in tables.
        pub label: &'static str,
        /// One line of help.
        pub summary: &'static str,
        /// Its page in Markdown.
        pub page: String,
    }

    /// A format.
    #[derive(Serialize)]
    pub struct FormatRow {
        /// The name in requests.
        pub id: &'static str,
        /// One line of help.
        pub summary: &'static str,
        /// The usual extensions of its files, without the dot.
        pub extensions: Vec<&'static str>,
        /// The extension of the files with the text, for stand-off formats.
        pub companion: Option<&'static str>,
    }

    /// A profile.
    #[derive(Serialize)]
    pub struct ProfileRow {
        /// The name in requests.
        pub id: &'static str,
        /// The shared task or scorer that it reproduces.
        pub summary: &'static str,
        /// The formats that it is the default for.
        pub formats: Vec<&'static str>,
        /// Its metrics.
        pub metrics: Vec<&'static str>,
    }

    /// An option.
    #[derive(Serialize)]
    pub struct OptionRow {
        /// The name in requests.
        pub name: &'static str,
        /// One line of help.
        pub summary: &'static str,
        /// The values; empty for a number.
        pub values: Vec<ChoiceRow>,
        /// The default, for options of comparisons.
        pub default: Option<String>,
        /// The formats that it affects; empty if it affects all.
        pub formats: Vec<&'static str>,
    }

    /// A value of an option.
    #[derive(Serialize)]
    pub struct ChoiceRow {
        /// The value in requests.
        pub id: &'static str,
        /// One line of help.
        pub summary: &'static str,
    }

    /// An output.
    #[derive(Serialize)]
    pub struct OutputRow {
        /// The name in requests.
        pub id: &'static str,
        /// One line of help.
        pub summary: &'static str,
        /// The extensions of its files, without the dot.
        pub extensions: Vec<&'static str>,
        /// The name of its format in pages that offer to save it; null if they do not offer it.
        pub saved_as: Option<&'static str>,
    }
}

/// Answers `tables`.
pub fn tables(_: Nothing) -> Result<Tables> {
    let values = |rows: &[(&'static str, &'static str)]| {
        rows.iter().map(|&(id, summary)| ChoiceRow { id, summary }).collect::<Vec<_>>()
    };
    let metrics = METRICS.iter().map(|spec| MetricRow {
        id: spec.id,
        label: spec.label,
        summary: spec.summary,
        page: spec.explanation(),
    });
    let formats = FormatSpec::of_documents().map(|spec| FormatRow {
        id: spec.id,
        summary: spec.summary,
        extensions: spec.extensions.to_vec(),
        companion: spec.companion,
    });
    let profiles = PROFILES.iter().map(|profile| ProfileRow {
        id: profile.id,
        summary: profile.summary,
        formats: profile.formats.to_vec(),
        metrics: profile.metrics.to_vec(),
    });
    let options = OPTIONS.iter().map(|option| OptionRow {
        name: option.name,
        summary: option.summary,
        values: values(option.values),
        default: None,
        formats: match option.formats {
            Formats::Some => {
                let own = FormatSpec::of_documents().filter(|spec| option.affects(&spec.traits()));
                own.map(|spec| spec.id).collect()
            }
            // Documents of all files have words.
            Formats::All | Formats::WithWords => Vec::new(),
        },
    });
    let method = METHOD_FIELDS.iter().map(|field| OptionRow {
        name: field.name,
        summary: field.summary,
        values: values(field.values),
        default: Some(field.value(&Method::default())),
        formats: Vec::new(),
    });
    let outputs = OUTPUTS.iter().filter(|spec| (spec.supports)(Kind::Scores)).map(|spec| OutputRow {
        id: spec.id,
        summary: spec.summary,
        extensions: spec.extensions.to_vec(),
        saved_as: spec.saved_as,
    });
    Ok(Tables {
        version: corefeval_core::VERSION,
        metrics: metrics.collect(),
        formats: formats.collect(),
        profiles: profiles.collect(),
        options: options.collect(),
        method: method.collect(),
        outputs: outputs.collect(),
    })
}
