//! The signature of a report: the settings that its metrics and its format depend on.

use corefeval_metrics::weighed::WeightNeeds;

use crate::formats::FormatSpec;
use crate::metrics::{self, Metric, MetricInfo};
use crate::settings::{Settings, Shown};
use crate::weights::WeightTables;

/// Returns one line with the version, the profile, the format, and the settings that differ from the profile and can
/// change the metrics. [`Settings::from_signature`] reads it back.
///
/// `format` is the key's format, followed by `+` and the formats of responses that differ.
///
/// ```
/// use corefeval_core::metrics::Metric;
/// use corefeval_core::profiles::Profile;
/// use corefeval_core::settings::Settings;
/// use corefeval_core::signature::signature;
/// let mut settings = Settings::of(Profile::named("conll")?);
/// settings.set("singletons", "drop")?;
/// settings.set("blanc", "either")?;
/// let muc = signature(&settings, "conll", &[Metric::parse("muc")?]);
/// assert!(muc.ends_with("|profile:conll|format:conll|singletons:drop"));
/// # Ok::<(), corefeval_core::Error>(())
/// ```
pub fn signature(settings: &Settings, format: &str, metrics: &[Metric]) -> String {
    let narrowed = with_weights_used(settings, metrics);
    let formats = FormatSpec::ids_of(format);
    narrowed.as_ref().unwrap_or(settings).signature(&Shown {
        of_program: formats.iter().any(|id| FormatSpec::known(id).is_none()),
        formats: FormatSpec::traits_of(format),
        metrics: Some(counted(metrics)),
        names: metrics::need_names(settings, metrics),
        weights: metrics.iter().any(Metric::uses_weights),
    })
}

/// Returns the settings with only the tables of weights that the metrics use. Returns `None` if there are no weights,
/// or if no table remains.
fn with_weights_used(settings: &Settings, metrics: &[Metric]) -> Option<Settings> {
    let weights = settings.weights.as_ref()?;
    let weighted = || metrics.iter().filter(|metric| metric.uses_weights());
    let needs = weighted().fold(WeightNeeds::default(), |needs, metric| needs.or(metric.weight_needs()));
    let weights = weights.only(WeightTables {
        mention_types: needs.mention_types,
        entity_types: needs.entity_types,
        pairs: weighted().any(Metric::maps_entities),
    })?;
    Some(Settings { weights: Some(weights), ..settings.clone() })
}

/// Returns the metrics that are computed: means are replaced by their parts.
pub fn counted(metrics: &[Metric]) -> Vec<&'static MetricInfo> {
    let parts = metrics.iter().flat_map(|metric| metric.parts().unwrap_or_else(|| vec![*metric]));
    parts.map(|metric| metric.spec().info).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::Profile;
    use crate::weights::Weights;

    /// Lists of mentions have spans and nothing else; other documents of a program may have any annotation.
    #[test]
    fn lists_have_settings_of_spans() {
        let mut settings = Settings::of(Profile::for_format("conll"));
        let ends = [("key-span-end", "exclusive"), ("singletons", "drop")];
        let others = [
            ("zeros", "drop"),
            ("optional", "if-found"),
            ("check-tokens", "no"),
            ("annotation", "discourse-deixis"),
        ];
        for (name, value) in ends.into_iter().chain(others) {
            settings.set(name, value).unwrap();
        }
        let signed = |format: &str| signature(&settings, format, &[Metric::parse("muc").unwrap()]);
        let names = |format: &str, names: &[(&str, &str)]| {
            names.iter().all(|(name, value)| signed(format).contains(&format!("|{name}:{value}")))
        };
        let none = |format: &str, names: &[(&str, &str)]| {
            !names.iter().any(|(name, _)| signed(format).contains(&format!("|{name}:")))
        };
        assert!(names("lists", &ends) && none("lists", &others), "{}", signed("lists"));
        assert!(names("program", &ends) && names("program", &others), "{}", signed("program"));
        assert!(none("conll", &ends[..1]) && names("conll", &[others[2]]), "{}", signed("conll"));
    }

    #[test]
    fn weights_are_those_that_metrics_use() {
        let file =
            "mention-type.NOM = 0.5\nentity-type.LOC = 2\nsimilarity.PER.ORG = 0.5\nconfusion.NAM.NOM = 0.25";
        let mut settings = Settings::of(Profile::for_format("conll"));
        settings.weights = Some(Weights::read(file, "w.toml").unwrap());
        for (metrics, shown) in [
            ("muc", None),
            ("b_cubed:weight=mention-type", Some("mention-type.NOM=0.5")),
            ("lea:importance=entity-type", Some("entity-type.LOC=2")),
            ("b_cubed:weight=table", Some("mention-type.NOM=0.5,entity-type.LOC=2")),
            ("ceaf_m:weight=mention-type", Some("mention-type.NOM=0.5,confusion.NAM.NOM=0.25")),
            ("ceaf_e:weight=entity-type", Some("entity-type.LOC=2,similarity.PER.ORG=0.5")),
        ] {
            let signature = signature(&settings, "conll", &[Metric::parse(metrics).unwrap()]);
            let found = signature.split('|').find_map(|part| part.strip_prefix("weights:"));
            assert_eq!(found, shown, "{signature}");
            assert!(Settings::from_signature(&signature).is_ok(), "{signature}");
        }
        // Weights without a table for the metric are not changed.
        settings.weights = Some(Weights::read("entity-type.LOC = 2", "w.toml").unwrap());
        let metric = Metric::parse("b_cubed:weight=mention-type").unwrap();
        assert!(signature(&settings, "conll", &[metric]).ends_with("|weights:entity-type.LOC=2"));
    }
}
