//! The wording of the page: options are those of its settings.

use corefeval_core::wording::{OptionValue, Part, Teams, Wording};

/// The wording of messages in a page, which has no command line.
#[derive(Clone, Copy, Debug)]
pub struct Browser;

impl Wording for Browser {
    fn part(&self, part: &Part, words: &mut String) {
        match part {
            Part::Option { name, value } => {
                words.extend(["`", name]);
                match value {
                    OptionValue::None => {}
                    OptionValue::On => words.push_str(": yes"),
                    OptionValue::Word(value) | OptionValue::Blank(value) => words.extend([": ", value]),
                }
                words.push('`');
            }
            _ => Teams.part(part, words),
        }
    }
}

#[cfg(test)]
mod tests {
    use corefeval_core::diagnostic::Code;
    use corefeval_core::text;
    use corefeval_core::wording::{option, option_value, quoted, switch};

    use super::*;

    #[test]
    fn options_are_settings() {
        let text = text!(
            "{} differ; {} silences this, {} stops, {} chooses",
            quoted("d"),
            option_value("check-tokens", "no"),
            switch("strict"),
            option("format")
        );
        let wanted = "`d` differ; `check-tokens: no` silences this, `strict: yes` stops, `format` chooses";
        assert_eq!(text.worded(&Browser), wanted);
    }

    #[test]
    fn no_remedy_names_the_command_line() {
        for code in Code::ALL {
            let remedy = code.remedy().worded(&Browser);
            assert!(!remedy.contains("--") && !remedy.contains("NAME=PATH"), "{}: {remedy}", code.id());
        }
    }
}
