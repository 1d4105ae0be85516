//! The label of the phrase that a span is, from the bits of a bracketed parse.

use crate::model::{Layers, Span};

/// A node that is open while the bits are read.
enum Node {
    /// A phrase with its label, letters only (`NP-SBJ` is `NPSBJ`).
    Phrase(String),
    /// Words that no phrase of the span holds.
    Words,
}

/// The label of the tree that the bits of `span` make, read without what stands before and after:
/// `None` where they make no tree, `NP` where they make several side by side (coval's choice).
///
/// What a span's bits leave open is closed at its end; what they close without opening closes the
/// words before it. These are coval's rules, told from its results.
pub(super) fn label(layers: &Layers, span: Span) -> Option<String> {
    let mut open: Vec<Node> = Vec::new();
    let mut roots: Vec<Node> = Vec::new();
    let mut label = String::new();
    let mut in_label = false;
    // Words read since the last bracket: whether there are any, and whether one says anything.
    let (mut words, mut spelled) = (false, false);
    for word in span.start()..span.end() {
        let bit = layers.parse.get(word as usize).unwrap_or_default();
        let form = layers.form.get(word as usize).unwrap_or_default();
        for character in bit.chars() {
            match character {
                '(' => {
                    if in_label {
                        open.push(Node::Phrase(std::mem::take(&mut label)));
                    }
                    if words {
                        if spelled && open.is_empty() {
                            open.push(Node::Words);
                        }
                        (words, spelled) = (false, false);
                    }
                    in_label = true;
                }
                '*' => {
                    words = true;
                    spelled |=
                        form.chars().all(char::is_alphabetic) || form.chars().all(|c| c.is_ascii_digit());
                    if in_label {
                        open.push(Node::Phrase(std::mem::take(&mut label)));
                        in_label = false;
                    } else if !label.is_empty() {
                        roots.push(Node::Phrase(label.clone()));
                    }
                }
                ')' => {
                    if words {
                        if open.is_empty() {
                            open.push(Node::Words);
                        }
                        (words, spelled) = (false, false);
                    }
                    if let Some(node) = open.pop()
                        && open.is_empty()
                    {
                        roots.push(node);
                    }
                    in_label = false;
                }
                letter if letter.is_alphabetic() => label.push(letter),
                _ => {}
            }
        }
    }
    if words && open.is_empty() {
        open.push(Node::Words);
    }
    if let Some(outermost) = open.into_iter().next() {
        roots.push(outermost);
    }
    if roots.len() > 1 {
        return Some("NP".to_owned());
    }
    match roots.pop() {
        Some(Node::Phrase(label)) => Some(label),
        Some(Node::Words) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label_of(bits: &[(&str, &str)]) -> Option<String> {
        let mut layers = Layers::default();
        for (form, bit) in bits {
            layers.form.push(form);
            layers.parse.push(bit);
        }
        label(&layers, Span::new(0, bits.len() as u32)?)
    }

    #[test]
    fn whole_phrases_have_their_label() {
        assert_eq!(label_of(&[("the", "(NP*"), ("ferry", "*)")]).as_deref(), Some("NP"));
        assert_eq!(label_of(&[("sailed", "(VP*"), ("home", "(ADVP*))")]).as_deref(), Some("VP"));
        assert_eq!(label_of(&[("sailed", "(S(VP*")]).as_deref(), Some("S"));
        assert_eq!(label_of(&[("it", "(NP-SBJ*)")]).as_deref(), Some("NPSBJ"));
    }

    #[test]
    fn parts_of_phrases_have_none() {
        assert_eq!(label_of(&[("ferry", "*)")]), None);
        assert_eq!(label_of(&[("ferry", "*")]), None);
        assert_eq!(label_of(&[("ferry", "-")]), None);
        let two = [("Ada", "(NP*)"), ("sailed", "(VP*)")];
        assert_eq!(label_of(&two).as_deref(), Some("NP"));
    }
}
