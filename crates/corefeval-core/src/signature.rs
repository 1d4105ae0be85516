//! The signature of a report: the settings that its metrics and its format depend on.

use crate::formats::FormatSpec;
use crate::metrics::{self, Metric, MetricInfo};
use crate::settings::{Settings, Shown};

/// One line that names the version, the profile, the format, and the settings that differ from the profile and can
/// change what the metrics show. [`Settings::from_signature`] reads it back.
///
/// `format` is that of the key, and after `+` those of responses in other formats.
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
    settings.signature(&Shown {
        format,
        of_program: format.split('+').any(|id| FormatSpec::named(id).is_err()),
        metrics: Some(counted(metrics)),
        names: metrics::need_names(settings, metrics),
        weights: metrics.iter().any(Metric::uses_weights),
    })
}

/// The metrics that are computed: means are replaced by their parts.
pub fn counted(metrics: &[Metric]) -> Vec<&'static MetricInfo> {
    let parts = metrics.iter().flat_map(|metric| metric.parts().unwrap_or_else(|| vec![*metric]));
    parts.map(|metric| metric.spec().info).collect()
}
