//! The properties of a metric, and a metric with values for its parameters.

use std::fmt;

use crate::by_type::{ByType, WeightNeeds};
use crate::error::{Error, Result};

/// The names, help and properties of a metric.
///
/// There is one value per metric, written with [`metric_info!`](crate::metric_info), which takes the page of the
/// metric from its doc comment, and fields that the row omits from [`PLAIN`](Self::PLAIN). New fields therefore do not
/// affect existing rows.
#[derive(Debug)]
pub struct MetricInfo {
    /// The name as the user types it, and the key in JSON.
    pub id: &'static str,
    /// The name as shown in tables.
    pub label: &'static str,
    /// Other accepted names. A name that several metrics share is rejected, and the error lists the choices.
    pub aliases: &'static [&'static str],
    /// One line of help.
    pub summary: &'static str,
    /// The keys of its references in the bibliography.
    pub references: &'static [&'static str],
    /// The parameters.
    pub parameters: &'static [ParameterSpec],
    /// True if an entity of one mention changes the score, so that a side without singletons is at a disadvantage.
    /// False for mention identification, which does not compare entities.
    pub counts_singletons: bool,
    /// The unit that a side must have for the metric to be defined on it, unless every entity has one: for example `link`.
    pub needs: Option<&'static str>,
    /// True if the metric depends on how mentions are selected and matched. ACE-value, which compares characters, does
    /// not.
    pub matches_mentions: bool,
    /// The settings that only this metric and its variants depend on, by name.
    pub settings: &'static [&'static str],
    /// The name in the CoNLL reference scorer, if it has the metric.
    pub reference_scorer: Option<&'static str>,
    /// The page about the metric in Markdown, with the headings that all metrics have. Each line starts with a space.
    pub page: &'static str,
}

/// A parameter of a metric, written `id:name=value`.
#[derive(Debug)]
pub struct ParameterSpec {
    /// The name of the parameter.
    pub name: &'static str,
    /// The values of the parameter, the default first.
    pub values: &'static [&'static str],
    /// One line of help.
    pub summary: &'static str,
}

/// Defines a [`MetricInfo`]; its doc comment becomes its page. Omitted fields are those of [`MetricInfo::PLAIN`].
#[macro_export]
macro_rules! metric_info {
    ($(#[doc = $line:literal])* $visibility:vis static $name:ident = { $($fields:tt)* }) => {
        $(#[doc = $line])*
        #[allow(clippy::needless_update, reason = "a row may name every field")]
        $visibility static $name: $crate::MetricInfo =
            $crate::MetricInfo { page: concat!($($line, "\n",)*), $($fields)* ..$crate::MetricInfo::PLAIN };
    };
}

impl MetricInfo {
    /// A metric without parameters, special settings, or a counterpart in the reference scorer.
    pub const PLAIN: MetricInfo = MetricInfo {
        id: "",
        label: "",
        aliases: &[],
        summary: "",
        references: &[],
        parameters: &[],
        counts_singletons: false,
        needs: None,
        matches_mentions: true,
        settings: &[],
        reference_scorer: None,
        page: "",
    };

    /// Returns whether `name` is the id, the label or an alias, ignoring case and treating `-` and `_` as equal.
    pub fn is_called(&self, name: &str) -> bool {
        let name = normalised(name);
        let mut names = self.aliases.iter().chain([&self.id, &self.label]);
        names.any(|other| normalised(other) == name)
    }

    /// Returns the parameter that selects weights by type, if the metric supports them.
    fn weights(&self) -> Option<&'static ParameterSpec> {
        self.parameters.iter().find(|parameter| parameter.values.contains(&ByType::Table.id()))
    }

    /// Returns the page without the space at the start of each line.
    pub fn page(&self) -> String {
        let lines = self.page.lines().map(|line| line.strip_prefix(' ').unwrap_or(line));
        lines.flat_map(|line| [line, "\n"]).collect()
    }
}

fn normalised(name: &str) -> String {
    name.trim().to_lowercase().replace(['-', ' '], "_")
}

/// Finds the metric called `name`.
///
/// # Errors
///
/// No metric has the name, or several do.
pub fn find(
    infos: impl Iterator<Item = &'static MetricInfo> + Clone,
    name: &str,
) -> Result<&'static MetricInfo> {
    // An id is never ambiguous, even if other metrics have it as an alias.
    if let Some(exact) = infos.clone().find(|info| info.id == name) {
        return Ok(exact);
    }
    let found: Vec<&'static MetricInfo> = infos.clone().filter(|info| info.is_called(name)).collect();
    match found[..] {
        [one] => Ok(one),
        [] => {
            let message = format!("unknown metric `{name}`");
            Err(Error::metric(message, format!("the metrics are {}", list(infos.map(|info| info.id)))))
        }
        _ => {
            let choices: Vec<String> =
                found.iter().map(|info| format!("`{}` ({})", info.id, info.summary)).collect();
            let message = format!("`{name}` names more than one metric");
            Err(Error::metric(message, format!("choose {}", choices.join(" or "))))
        }
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The largest number of parameters of a metric.
pub const MAX_PARAMETERS: usize = 2;

/// A metric with values for its parameters. It has one spelling, such as `b_cubed:weight=entity`.
#[derive(Clone, Copy)]
pub struct Variant {
    info: &'static MetricInfo,
    /// The index of the value of each parameter.
    values: [u8; MAX_PARAMETERS],
}

impl Variant {
    /// Creates the metric with the defaults of its parameters.
    pub fn new(info: &'static MetricInfo) -> Variant {
        Variant { info, values: [0; MAX_PARAMETERS] }
    }

    /// Parses `id` or `id:name=value:name=value`, where `id` is any name of one of `infos`.
    ///
    /// # Errors
    ///
    /// No metric has the name, several have it, or a parameter or value does not exist.
    pub fn parse(infos: impl Iterator<Item = &'static MetricInfo> + Clone, text: &str) -> Result<Variant> {
        let mut fields = text.trim().split(':');
        let mut variant = Variant::new(find(infos, fields.next().unwrap_or_default())?);
        fields.try_for_each(|field| variant.set(field))?;
        Ok(variant)
    }

    /// Sets a parameter from `name=value`.
    ///
    /// # Errors
    ///
    /// The metric does not have the parameter, or the parameter does not have the value.
    pub fn set(&mut self, field: &str) -> Result<()> {
        let (name, value) = field.split_once('=').unwrap_or((field, ""));
        let id = self.info.id;
        let Some(place) = self.info.parameters.iter().position(|parameter| parameter.name == name) else {
            let message = format!("`{id}` has no parameter `{name}`");
            return Err(Error::metric(
                message,
                match self.info.parameters {
                    [] => format!("`{id}` takes no parameters"),
                    some => {
                        format!("its parameters are {}", list(some.iter().map(|parameter| parameter.name)))
                    }
                },
            ));
        };
        let values = self.info.parameters[place].values;
        let Some(chosen) = values.iter().position(|&other| other == value) else {
            let message = format!("`{value}` is not a valid value for `{id}:{name}`");
            return Err(Error::metric(message, format!("its values are {}", list(values.iter().copied()))));
        };
        self.values[place] = chosen as u8;
        Ok(())
    }

    /// Returns the names, help and properties of the metric.
    #[inline]
    pub fn info(&self) -> &'static MetricInfo {
        self.info
    }

    /// Returns the index of the value of the parameter `name`; 0 is the default.
    pub fn value(&self, name: &str) -> u8 {
        let place = self.info.parameters.iter().position(|parameter| parameter.name == name);
        place.map_or(0, |place| self.values[place])
    }

    /// Returns whether all parameters have their defaults.
    pub fn is_plain(&self) -> bool {
        self.values == [0; MAX_PARAMETERS]
    }

    /// Returns the label, with the parameters that differ from the default.
    pub fn label(&self) -> String {
        let spelling = self.to_string();
        match spelling.split_once(':') {
            Some((_, parameters)) => format!("{} ({parameters})", self.info.label),
            None => self.info.label.to_owned(),
        }
    }

    /// Returns the types by which mentions and entities are weighted.
    pub fn by(&self) -> ByType {
        let chosen = self.info.parameters.iter().zip(&self.values);
        chosen
            .map(|(parameter, &value)| ByType::of(parameter.values[value as usize]))
            .max()
            .unwrap_or(ByType::One)
    }

    /// Returns whether the metric uses the weights of types.
    pub fn uses_weights(&self) -> bool {
        self.by() != ByType::One
    }

    /// Returns whether aligned mentions with different words count only the share of their common words.
    pub fn credits_words(&self) -> bool {
        self.value("credit") == 1
    }

    /// Returns the variant that weights mentions and entities by the whole table of weights, if the metric supports
    /// weights.
    pub fn weighted(info: &'static MetricInfo) -> Option<Variant> {
        let parameter = info.weights()?;
        let mut variant = Variant::new(info);
        variant.set(&format!("{}={}", parameter.name, ByType::Table.id())).ok()?;
        Some(variant)
    }

    /// Returns the data on mentions and entities that the metric needs in addition to the overlap table.
    pub fn weight_needs(&self) -> WeightNeeds {
        let by = self.by();
        WeightNeeds {
            mention_types: by.mention_types(),
            entity_types: by.entity_types(),
            credit: self.credits_words(),
        }
    }
}

impl PartialEq for Variant {
    fn eq(&self, other: &Variant) -> bool {
        self.info.id == other.info.id && self.values == other.values
    }
}

impl Eq for Variant {}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.id)?;
        for (parameter, &value) in self.info.parameters.iter().zip(&self.values) {
            if value != 0 {
                write!(f, ":{}={}", parameter.name, parameter.values[value as usize])?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Variant({self})")
    }
}
