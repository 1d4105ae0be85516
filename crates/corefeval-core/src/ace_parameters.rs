//! The parameters of ACE-value, in a table with a row per parameter and a column per evaluation.
//!
//! A parameter file sets some of them:
//!
//! ```toml
//! rules = 2005
//!
//! [mention]
//! NOM = 0.2
//! PRO = 0.04
//!
//! [false-alarm]
//! entity = 0.5
//!
//! # w(key, response): a name that the response has as a nominal is worth 0.3.
//! [confusion]
//! NAM-NOM = 0.3
//! ```
//!
//! Values that differ from the evaluation's are part of the signature (`mention.NOM=0.2,mention.PRO=0.04`).

use std::fmt;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use crate::choice::{Choice, choice};
use crate::diagnostic::Position;
use crate::error::{Error, ErrorKind, Result};
use crate::suggest::one_of;

choice! {
    /// An evaluation of ACE, which defines rules and parameters of ACE-value.
    AceRules {
        #[default]
        Of2005 = "2005" "the evaluation of 2005",
        Of2007 = "2007" "the evaluation of 2007",
        Of2008 = "2008" "the evaluation of 2008 (not checked against its scorer)",
        Of2004 = "2004" "the evaluation of 2004 (not checked against its scorer)",
        Of2003 = "2003" "the evaluation of 2003 (not checked against its scorer)",
    }
}

impl AceRules {
    /// Returns the year of the evaluation.
    pub fn year(self) -> &'static str {
        self.id()
    }

    /// Returns the rules of the evaluation of a year.
    pub fn of_year(year: &str) -> Option<AceRules> {
        AceRules::from_id(year)
    }
}

/// A parameter of ACE-value.
#[derive(Debug)]
pub struct AceParameter {
    /// The name as written in a signature. In a file, the part before the point is a table.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// The value in the evaluations of 2003/2004, 2005, 2007 and 2008, in [`UNIT`]s; `None` if the rules do not use it.
    values: [Option<u32>; 4],
    /// The smallest and the largest value.
    limits: [u32; 2],
}

/// The number of units in 1; parameters have eight decimals.
pub const UNIT: u32 = 100_000_000;

/// The constant that ACE's rules add to avoid values of 0.
pub const EPSILON: f64 = 1e-8;

/// The largest weight.
const WEIGHT: [u32; 2] = [0, 10 * UNIT];
const FACTOR: [u32; 2] = [0, UNIT];

const fn scaled(value: f64) -> Option<u32> {
    Some((value * UNIT as f64 + 0.5) as u32)
}

const fn row(
    name: &'static str,
    limits: [u32; 2],
    [a, b, c, d]: [f64; 4],
    summary: &'static str,
) -> AceParameter {
    AceParameter { name, summary, values: [scaled(a), scaled(b), scaled(c), scaled(d)], limits }
}

const COUNT: usize = 35;

/// All parameters. The values of 2003 and 2004 are from the evaluation plans and were not checked against a scorer. The
/// plans list the types up to FAC; later types have the same weight.
pub static ACE_PARAMETERS: [AceParameter; COUNT] = [
    row("mention.NAM", WEIGHT, [1., 1., 1., 1.], "weight of names"),
    row("mention.NOM", WEIGHT, [0.2, 0.5, 0.5, 0.5], "weight of nominals"),
    row("mention.PRO", WEIGHT, [0.04, 0.1, 0.1, 0.1], "weight of pronouns"),
    row("type.PER", WEIGHT, [1., 1., 1., 1.], "weight of persons"),
    row("type.ORG", WEIGHT, [0.5, 1., 1., 1.], "weight of organisations"),
    row("type.GPE", WEIGHT, [0.25, 1., 1., 1.], "weight of geopolitical entities"),
    row("type.LOC", WEIGHT, [0.1, 1., 1., 1.], "weight of locations"),
    row("type.FAC", WEIGHT, [0.05, 1., 1., 1.], "weight of facilities"),
    row("type.VEH", WEIGHT, [0.05, 1., 1., 1.], "weight of vehicles"),
    row("type.WEA", WEIGHT, [0.05, 1., 1., 1.], "weight of weapons"),
    row("type.other", WEIGHT, [0.05, 1., 1., 1.], "weight of entities of any other type"),
    row("class.SPC", WEIGHT, [1., 1., 1., 1.], "weight of specific entities"),
    row("class.GEN", WEIGHT, [0., 0., 0., EPSILON], "weight of generic entities"),
    row("class.NEG", WEIGHT, [0., 0., 0., EPSILON], "weight of negated entities"),
    row("class.USP", WEIGHT, [0., 0., 0., EPSILON], "weight of underspecified entities"),
    row("class.other", WEIGHT, [0., 0., 0., EPSILON], "weight of entities of any other class"),
    row("class.none", WEIGHT, [1., 1., 1., 1.], "weight of entities without a class"),
    row(
        "attribute-error.TYPE",
        FACTOR,
        [0.5, 0.5, 0.5, 0.5],
        "the share that an entity of another type keeps",
    ),
    row(
        "attribute-error.SUBTYPE",
        FACTOR,
        [0.9, 0.9, 0.9, 0.9],
        "the share that an entity of another subtype keeps",
    ),
    row(
        "attribute-error.CLASS",
        FACTOR,
        [0.75, 0.75, 0.75, 0.75],
        "the share that an entity of another class keeps",
    ),
    row("mention-error.TYPE", FACTOR, [0.9, 0.9, 0.9, 0.9], "the factor for a mention of another type"),
    row("mention-error.ROLE", FACTOR, [0.9, 0.9, 0.9, 0.9], "the factor for a mention in another role"),
    row(
        "mention-error.STYLE",
        FACTOR,
        [0.9, 0.9, 0.9, 0.9],
        "the factor for a mention that is metonymic on one side only",
    ),
    row(
        "false-alarm.entity",
        WEIGHT,
        [0.75, 0.75, 0.75, 0.75],
        "cost of a spurious entity, as a share of its value",
    ),
    AceParameter {
        name: "false-alarm.mention",
        summary: "cost of a spurious mention, as a share of its value (the rules of 2007 use that of entities)",
        values: [scaled(0.75), scaled(0.75), None, None],
        limits: WEIGHT,
    },
    row(
        "false-alarm.matched",
        FACTOR,
        [0., 0., 1., 1.],
        "share of that cost where the mention is in the key",
    ),
    row("least.overlap", [1, UNIT], [0.3, 0.3, 0.3, 0.3], "the least overlap of heads, in characters"),
    row("least.text", FACTOR, [0., 0., 0.3, 0.], "the least agreement of heads, in text"),
    row("least.cost", FACTOR, [0., 0., EPSILON, EPSILON], "errors below this cost are free"),
    confusion("confusion.NAM-NOM", "value of a name of the key that the response has as a nominal"),
    confusion("confusion.NAM-PRO", "value of a name of the key that the response has as a pronoun"),
    confusion("confusion.NOM-NAM", "value of a nominal of the key that the response has as a name"),
    confusion("confusion.NOM-PRO", "value of a nominal of the key that the response has as a pronoun"),
    confusion("confusion.PRO-NAM", "value of a pronoun of the key that the response has as a name"),
    confusion("confusion.PRO-NOM", "value of a pronoun of the key that the response has as a nominal"),
];

/// Returns a row of the table of confusions, which no evaluation defines. By default the value is the smaller of the
/// two weights, reduced by the factor for another type.
const fn confusion(name: &'static str, summary: &'static str) -> AceParameter {
    AceParameter { name, summary, values: [None; 4], limits: WEIGHT }
}

/// A parameter, numbered by its place in [`ACE_PARAMETERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum AceName {
    Nam,
    Nom,
    Pro,
    Per,
    OtherType = 10,
    Spc,
    OtherClass = 15,
    NoClass,
    Type,
    Subtype,
    Class,
    MentionType,
    Role,
    Style,
    EntityFalseAlarm,
    MentionFalseAlarm,
    Matched,
    Overlap,
    Text,
    Cost,
    Confusion,
}

const UNCHANGED: u32 = u32::MAX;

/// Parameters that differ from the evaluation's. Displays as in the signature.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AceChanges([u32; COUNT]);

impl Default for AceChanges {
    fn default() -> AceChanges {
        AceChanges([UNCHANGED; COUNT])
    }
}

fn column(rules: AceRules) -> usize {
    match rules {
        AceRules::Of2003 | AceRules::Of2004 => 0,
        AceRules::Of2005 => 1,
        AceRules::Of2007 => 2,
        AceRules::Of2008 => 3,
    }
}

impl AceParameter {
    /// Returns its value in an evaluation, or `None` if the rules do not use it.
    pub fn value(&self, rules: AceRules) -> Option<String> {
        self.values[column(rules)].map(decimal)
    }
}

impl AceChanges {
    /// Returns whether all parameters have the evaluation's values.
    pub fn is_empty(&self) -> bool {
        *self == AceChanges::default()
    }

    /// Sets one parameter from its text.
    fn set(&mut self, name: &str, text: &str, rules: AceRules) -> Result<()> {
        let wrong = |message: String| Error::new(ErrorKind::Settings, message);
        let Some(place) = ACE_PARAMETERS.iter().position(|parameter| parameter.name == name) else {
            let names = || ACE_PARAMETERS.iter().map(|parameter| parameter.name);
            let hint = one_of(name, "the parameters are", names());
            return Err(wrong(format!("ACE-value has no parameter `{name}`")).hint(hint));
        };
        let parameter = &ACE_PARAMETERS[place];
        let [least, most] = parameter.limits;
        let limits = || {
            format!(
                "it must be between {} and {}, with at most eight decimals",
                decimal(least),
                decimal(most)
            )
        };
        let number = text.parse::<f64>().ok().map(|value| value * f64::from(UNIT));
        let number = number.filter(|number| (number - number.round()).abs() < 1e-3);
        let number = number.filter(|number| (f64::from(least)..=f64::from(most)).contains(&number.round()));
        let Some(number) = number else {
            return Err(wrong(format!("`{text}` is not a valid value for `{name}`")).hint(limits()));
        };
        let number = number.round() as u32;
        if place >= AceName::Confusion as usize {
            self.0[place] = number;
            return Ok(());
        }
        let Some(usual) = parameter.values[column(rules)] else {
            let error = wrong(format!("the rules of {} have no parameter `{name}`", rules.year()));
            return Err(error.hint(parameter.summary));
        };
        self.0[place] = if number == usual { UNCHANGED } else { number };
        Ok(())
    }

    /// Parses the parameters of a signature.
    ///
    /// # Errors
    ///
    /// A parameter that does not exist or that the rules do not use; a value outside its limits or with more than
    /// eight decimals.
    pub fn parse(text: &str, rules: AceRules) -> Result<AceChanges> {
        let mut changes = AceChanges::default();
        for field in text.split(',').filter(|field| !field.is_empty()) {
            let (name, value) = field.split_once('=').unwrap_or((field, ""));
            changes.set(name, value, rules)?;
        }
        Ok(changes)
    }

    /// Reads a parameter file called `source`. Returns the rules that it names, otherwise `rules`.
    ///
    /// # Errors
    ///
    /// A text that is not TOML; rules of a year without an evaluation; a parameter that does not exist or that the
    /// rules do not use; a value outside its limits or with more than eight decimals.
    pub fn read(text: &str, source: &str, rules: AceRules) -> Result<(AceRules, AceChanges)> {
        let source: Arc<str> = Arc::from(source);
        let at = |place: usize| Position::in_text(&source, text, place);
        let settings = |place: usize, message: String| Error::new(ErrorKind::Settings, message).at(at(place));
        let file = DeTable::parse(text).map_err(|error| {
            let place = error.span().map_or(0, |span| span.start);
            settings(place, format!("this is not TOML: {}", error.message().trim()))
        })?;
        let mut rules = rules;
        if let Some(named) = file.get_ref().get("rules") {
            let year = written(named.get_ref()).unwrap_or_default();
            rules = AceRules::of_year(&year).ok_or_else(|| {
                let error = settings(named.span().start, format!("ACE had no evaluation in `{year}`"));
                error.hint("the rules are 2003, 2004, 2005, 2007 or 2008")
            })?;
        }
        let mut changes = AceChanges::default();
        for (table, rows) in file.get_ref() {
            if table.get_ref() == "rules" {
                continue;
            }
            let place = table.span().start;
            let DeValue::Table(rows) = rows.get_ref() else {
                let error = settings(place, format!("`{}` is not a table of parameters", table.get_ref()));
                return Err(error.hint("parameters are written `mention.NOM = 0.2`"));
            };
            for (name, value) in rows {
                let full = format!("{}.{}", table.get_ref(), name.get_ref());
                let number = written(value.get_ref()).unwrap_or_else(|| "this".to_owned());
                changes.set(&full, &number, rules).map_err(|error| error.at(at(name.span().start)))?;
            }
        }
        Ok((rules, changes))
    }
}

/// Returns a number or a string as text.
pub(crate) fn written(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::String(text) => Some(text.to_string()),
        _ => None,
    }
}

/// Returns a parameter as text, without zeros at the end.
fn decimal(units: u32) -> String {
    let text = format!("{}.{:08}", units / UNIT, units % UNIT);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl fmt::Display for AceChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changed = ACE_PARAMETERS.iter().zip(self.0).filter(|(_, value)| *value != UNCHANGED);
        for (place, (parameter, value)) in changed.enumerate() {
            write!(f, "{}{}={}", if place > 0 { "," } else { "" }, parameter.name, decimal(value))?;
        }
        Ok(())
    }
}

impl fmt::Debug for AceChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AceChanges({self})")
    }
}

/// The parameters of an evaluation, with changes applied.
#[derive(Clone, Debug)]
pub(crate) struct AceParameters {
    pub(crate) rules: AceRules,
    values: [f64; COUNT],
    /// True for each confusion that is set.
    confusions: [bool; COUNT - AceName::Confusion as usize],
}

impl AceParameters {
    pub(crate) fn new(rules: AceRules, changes: &AceChanges) -> AceParameters {
        let mut values = [0.0; COUNT];
        for ((value, parameter), &change) in values.iter_mut().zip(&ACE_PARAMETERS).zip(&changes.0) {
            let own = parameter.values[column(rules)].unwrap_or(0);
            *value = f64::from(if change == UNCHANGED { own } else { change }) / f64::from(UNIT);
        }
        let mut confusions = [false; COUNT - AceName::Confusion as usize];
        let set = changes.0[AceName::Confusion as usize..].iter().map(|&change| change != UNCHANGED);
        confusions.iter_mut().zip(set).for_each(|(place, set)| *place = set);
        AceParameters { rules, values, confusions }
    }

    /// Returns the value of a key mention of type `key` that has type `response` in the response, if it is set. Both
    /// types are indexes into NAM, NOM and PRO.
    pub(crate) fn confusion(&self, key: usize, response: usize) -> Option<f64> {
        if key == response {
            return None;
        }
        let place = 2 * key + response - usize::from(response > key);
        self.confusions[place].then(|| self.values[AceName::Confusion as usize + place])
    }

    pub(crate) fn get(&self, name: AceName) -> f64 {
        self.values[name as usize]
    }

    /// Returns the weight of a type of entities.
    pub(crate) fn of_type(&self, kind: &str) -> f64 {
        self.named("type.", kind, AceName::Per, AceName::OtherType)
    }

    /// Returns the weight of a class of entities.
    pub(crate) fn of_class(&self, class: Option<&str>) -> f64 {
        class.map_or(self.get(AceName::NoClass), |class| {
            self.named("class.", class, AceName::Spc, AceName::OtherClass)
        })
    }

    fn named(&self, table: &str, name: &str, first: AceName, other: AceName) -> f64 {
        let rows = &ACE_PARAMETERS[first as usize..other as usize];
        let place = rows.iter().position(|row| row.name.strip_prefix(table) == Some(name));
        self.values[place.map_or(other as usize, |place| first as usize + place)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_the_table() {
        for (name, text) in [
            (AceName::Pro, "mention.PRO"),
            (AceName::Per, "type.PER"),
            (AceName::OtherType, "type.other"),
            (AceName::Spc, "class.SPC"),
            (AceName::OtherClass, "class.other"),
            (AceName::NoClass, "class.none"),
            (AceName::Class, "attribute-error.CLASS"),
            (AceName::Style, "mention-error.STYLE"),
            (AceName::Matched, "false-alarm.matched"),
            (AceName::Cost, "least.cost"),
            (AceName::Confusion, "confusion.NAM-NOM"),
        ] {
            assert_eq!(ACE_PARAMETERS[name as usize].name, text);
        }
    }

    #[test]
    fn confusions_name_the_key_type_first() {
        let names = ["NAM", "NOM", "PRO"];
        for (row, key) in names.iter().enumerate() {
            for (column, response) in names.iter().enumerate() {
                let text = format!("confusion.{key}-{response}=0.3");
                let changes = AceChanges::parse(&text, AceRules::Of2005);
                assert_eq!(changes.is_ok(), row != column, "{text}");
                let Ok(changes) = changes else { continue };
                assert_eq!(changes.to_string(), text);
                let parameters = AceParameters::new(AceRules::Of2005, &changes);
                assert_eq!(parameters.confusion(row, column), Some(0.3), "{text}");
                assert_eq!(parameters.confusion(column, row), None, "{text}");
            }
        }
    }

    #[test]
    fn weights_are_found_by_name() {
        let parameters = AceParameters::new(AceRules::Of2004, &AceChanges::default());
        assert_eq!(
            (parameters.of_type("GPE"), parameters.of_type("other"), parameters.of_type("X")),
            (0.25, 0.05, 0.05)
        );
        assert_eq!(
            [Some("SPC"), Some("NEG"), Some("ATR"), None].map(|class| parameters.of_class(class)),
            [1., 0., 0., 1.]
        );
        assert_eq!(
            AceParameters::new(AceRules::Of2008, &AceChanges::default()).of_class(Some("GEN")),
            EPSILON
        );
    }

    #[test]
    fn a_file_reads_back_from_its_signature() {
        let file = "rules = \"2004\"\ntype.ORG = 1\n[mention]\nNOM = 0.2\nPRO = 1e-8\n";
        let (rules, changes) = AceChanges::read(file, "x.toml", AceRules::Of2005).unwrap();
        assert_eq!(
            (rules, changes.to_string().as_str()),
            (AceRules::Of2004, "mention.PRO=0.00000001,type.ORG=1")
        );
        assert_eq!(AceChanges::parse(&changes.to_string(), rules), Ok(changes));
    }

    #[test]
    fn errors_of_a_file_have_a_place() {
        let error_of =
            |file: &str| AceChanges::read(file, "x.toml", AceRules::Of2007).unwrap_err().to_string();
        assert_eq!(
            error_of("[mention]\nNMO = 1"),
            "x.toml:2:1: ACE-value has no parameter `mention.NMO`\n  hint: did you mean `mention.NOM`?"
        );
        assert_eq!(
            error_of("[least]\noverlap = 0"),
            "x.toml:2:1: `0` is not a valid value for `least.overlap`\n  hint: it must be between 0.00000001 and \
             1, with at most eight decimals"
        );
        assert!(error_of("mention.NAM = nan").contains("`nan` is not a valid value"));
        assert!(error_of("mention.NAM = 0.123456789").contains("eight decimals"));
        assert!(error_of("mention.NAM = []").contains("is not a valid value"));
        assert!(error_of("mention = 1").starts_with("x.toml:1:1: `mention` is not a table"));
        assert!(error_of("rules = 2006").contains("ACE had no evaluation"));
        assert!(error_of("\n[mention\n").starts_with("x.toml:2:"));
        assert!(error_of("false-alarm.mention = 0.5").contains("the rules of 2007 have no parameter"));
    }
}
