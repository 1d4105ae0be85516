//! Rewrites a source file so that each mutant is behind a switch.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Arm, BinOp, Block, Expr, ExprBinary, ExprStruct, ExprUnary, ImplItemFn, ItemFn, Signature, TraitItemFn,
};

use crate::list::{Genre, Mutant, Position};

/// A range of bytes.
type Bytes = Range<usize>;

/// The places of a mutant in the rewritten file, in bytes; empty if it was not planted.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Planted {
    /// The code that runs if the mutant is switched on.
    pub own: Vec<Bytes>,
    /// The same code with the code around it, which mutants of the same place share.
    pub places: Vec<Bytes>,
}

/// A place that mutants change.
struct Site {
    /// The bytes that are rewritten; empty where something is inserted.
    bytes: Bytes,
    kind: Kind,
    /// The number of each mutant with its replacement.
    mutants: Vec<(usize, String)>,
}

/// The way a place is rewritten.
enum Kind {
    /// `left op right` of values that are evaluated in any case.
    Operator { left: Bytes, operator: String, right: Bytes },
    /// A comparison, whose values are borrowed.
    Comparison { left: Bytes, operator: String, right: Bytes },
    /// `&&` or `||`.
    Lazy { left: Bytes, operator: String, right: Bytes },
    /// `left op= right`.
    Assignment { left: Bytes, operator: String, right: Bytes },
    /// An operator before a value.
    Prefix { operator: String, value: Bytes },
    /// The start of a function.
    Body,
    /// The end of the pattern of an arm without a guard.
    Pattern,
    /// The guard of an arm.
    Guard,
    /// The value of a field, with the base of its struct; the name of a field without a value.
    Field { name: String, value: Bytes, base: Bytes, short: bool },
}

/// Rewrites a file. Returns its new text and the places of each mutant.
pub fn plant(
    source: &str,
    mutants: &[(usize, &Mutant)],
) -> Result<(String, BTreeMap<usize, Planted>), syn::Error> {
    let mut finder = Finder { places: Places::new(source), mutants, sites: Vec::new(), is_compiled: false };
    finder.visit_file(&syn::parse_file(source)?);
    let mut sites = finder.sites;
    // Enclosing sites come first: a guard or a field encloses its expression.
    let is_expression = |site: &Site| !matches!(site.kind, Kind::Guard | Kind::Field { .. });
    sites.sort_by_key(|site| (site.bytes.start, Reverse(site.bytes.end), is_expression(site)));
    let mut writer = Writer { source, sites: &sites, text: String::new(), planted: BTreeMap::new() };
    writer.write(0..source.len(), None);
    Ok((writer.text, writer.planted))
}

/// Converts lines and columns to bytes.
struct Places<'s> {
    source: &'s str,
    lines: Vec<usize>,
}

impl Places<'_> {
    fn new(source: &str) -> Places<'_> {
        let starts = source.match_indices('\n').map(|(end, _)| end + 1);
        Places { source, lines: std::iter::once(0).chain(starts).collect() }
    }

    /// Returns the byte of a place.
    fn byte(&self, place: Position) -> usize {
        let start = self.lines[place.line - 1];
        let rest = &self.source[start..];
        start + rest.char_indices().nth(place.column - 1).map_or(rest.len(), |(byte, _)| byte)
    }
}

/// Finds the sites of mutants.
struct Finder<'m> {
    places: Places<'m>,
    mutants: &'m [(usize, &'m Mutant)],
    sites: Vec<Site>,
    /// True if the visited code is evaluated at compile time, where no mutant can be switched on.
    is_compiled: bool,
}

fn bytes(node: &impl Spanned) -> Bytes {
    node.span().byte_range()
}

impl Finder<'_> {
    /// Returns the mutants of a kind that start at a byte.
    fn at(&self, genre: Genre, start: usize) -> Vec<(usize, String)> {
        let here = |(_, mutant): &&(usize, &Mutant)| {
            mutant.genre == genre && self.places.byte(mutant.span.start) == start
        };
        let found = self.mutants.iter().filter(here);
        found.map(|(number, mutant)| (*number, mutant.replacement.clone())).collect()
    }

    fn add(&mut self, bytes: Bytes, kind: Kind, mutants: Vec<(usize, String)>) {
        if !mutants.is_empty() && !self.is_compiled {
            self.sites.push(Site { bytes, kind, mutants });
        }
    }

    /// Visits the value of a constant.
    fn compiled(&mut self, value: &Expr) {
        self.is_compiled = true;
        self.visit_expr(value);
        self.is_compiled = false;
    }

    /// Visits a function, unless it may run while the program is compiled.
    fn function(&mut self, signature: &Signature, body: &Block) {
        if signature.constness.is_some() {
            return;
        }
        // The value of a mutant may not have the type of the body if the signature names only its trait.
        let hidden = self.places.source[bytes(&signature.output)].contains("impl ");
        if let Some(first) = body.stmts.first().filter(|_| !hidden) {
            let mutants = self.at(Genre::FnValue, bytes(first).start);
            let open = bytes(&body.brace_token.span.open()).end;
            self.add(open..open, Kind::Body, mutants);
        }
        visit::visit_block(self, body);
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.function(&item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.function(&item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.sig, body);
        }
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.compiled(&item.expr);
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.compiled(&item.expr);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.compiled(&item.expr);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        let outer = std::mem::take(&mut self.is_compiled);
        visit::visit_expr_closure(self, closure);
        self.is_compiled = outer;
    }

    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        visit::visit_expr_binary(self, binary);
        let operator = bytes(&binary.op);
        let mutants = self.at(Genre::BinaryOperator, operator.start);
        let operator = self.places.source[operator].to_owned();
        let (left, right) = (bytes(&binary.left), bytes(&binary.right));
        let kind = match &binary.op {
            BinOp::And(_) | BinOp::Or(_) if has_let(&binary.left) || has_let(&binary.right) => return,
            BinOp::And(_) | BinOp::Or(_) => Kind::Lazy { left, operator, right },
            BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => {
                Kind::Comparison { left, operator, right }
            }
            _ if operator.ends_with('=') => Kind::Assignment { left, operator, right },
            _ => Kind::Operator { left, operator, right },
        };
        self.add(bytes(binary), kind, mutants);
    }

    fn visit_expr_unary(&mut self, unary: &'ast ExprUnary) {
        visit::visit_expr_unary(self, unary);
        let mutants = self.at(Genre::UnaryOperator, bytes(&unary.op).start);
        let operator = self.places.source[bytes(&unary.op)].to_owned();
        self.add(bytes(unary), Kind::Prefix { operator, value: bytes(&unary.expr) }, mutants);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        visit::visit_arm(self, arm);
        let mut mutants = self.at(Genre::MatchArm, bytes(arm).start);
        mutants.iter_mut().for_each(|(_, replacement)| "deleted".clone_into(replacement));
        let end = bytes(&arm.pat).end;
        match &arm.guard {
            None => self.add(end..end, Kind::Pattern, mutants),
            Some((_, guard)) if has_let(guard) => {}
            Some((_, guard)) => {
                mutants.extend(self.at(Genre::MatchArmGuard, bytes(guard).start));
                self.add(bytes(guard), Kind::Guard, mutants);
            }
        }
    }

    fn visit_expr_struct(&mut self, node: &'ast ExprStruct) {
        visit::visit_expr_struct(self, node);
        let Some(base) = &node.rest else { return };
        for field in &node.fields {
            let mutants = self.at(Genre::StructField, bytes(field).start);
            let name = self.places.source[bytes(&field.member)].to_owned();
            let short = field.colon_token.is_none();
            let value = bytes(&field.expr);
            self.add(value.clone(), Kind::Field { name, value, base: bytes(base), short }, mutants);
        }
    }
}

/// Returns whether a condition has a `let`, whose names the rest of the condition may use.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// Returns the condition that a mutant is switched on.
fn is(number: usize) -> String {
    format!("crate::mutant_switch::is({number})")
}

/// Writes the new text.
struct Writer<'s> {
    source: &'s str,
    sites: &'s [Site],
    text: String,
    planted: BTreeMap<usize, Planted>,
}

impl Writer<'_> {
    /// Writes a part of the source with the sites in it, except the site `within`, to which the part belongs.
    fn write(&mut self, part: Bytes, within: Option<usize>) {
        let mut at = part.start;
        for (place, site) in self.sites.iter().enumerate() {
            let inside = site.bytes.start >= at && site.bytes.end <= part.end && site.bytes.start <= part.end;
            // An earlier site of the same bytes encloses this one.
            if !inside || within.is_some_and(|within| place <= within && site.bytes.start < site.bytes.end) {
                continue;
            }
            self.text.push_str(&self.source[at..site.bytes.start]);
            self.write_site(place);
            at = site.bytes.end;
        }
        self.text.push_str(&self.source[at..part.end]);
    }

    /// Writes the code of a mutant.
    fn write_own(&mut self, number: usize, code: impl FnOnce(&mut Self)) {
        let start = self.text.len();
        code(self);
        let end = self.text.len();
        self.planted.entry(number).or_default().own.push(start..end);
    }

    /// Writes one branch for each mutant, and a final one for the original code.
    fn write_branches(&mut self, mutants: &[(usize, String)], each: impl Fn(&str) -> String, none: &str) {
        for (number, replacement) in mutants {
            self.text.push_str(&format!("if {} {{ ", is(*number)));
            self.write_own(*number, |writer| writer.text.push_str(&each(replacement)));
            self.text.push_str(" } else ");
        }
        self.text.push_str(&format!("{{ {none} }}"));
    }

    fn write_site(&mut self, place: usize) {
        let Site { kind, mutants, .. } = &self.sites[place];
        let start = self.text.len();
        let within = Some(place);
        match kind {
            Kind::Operator { left, operator, right } => {
                self.text.push_str("(match (");
                self.write(left.clone(), within);
                self.text.push_str(", ");
                self.write(right.clone(), within);
                self.text.push_str(") { (l_, r_) => ");
                self.write_branches(mutants, |other| format!("l_ {other} r_"), &format!("l_ {operator} r_"));
                self.text.push_str(" })");
            }
            Kind::Comparison { left, operator, right } => {
                self.text.push_str("(match (&(");
                self.write(left.clone(), within);
                self.text.push_str("), &(");
                self.write(right.clone(), within);
                self.text.push_str(")) { (l_, r_) => ");
                self.write_branches(
                    mutants,
                    |other| format!("*l_ {other} *r_"),
                    &format!("*l_ {operator} *r_"),
                );
                self.text.push_str(" })");
            }
            // By De Morgan's laws: the other operator on the opposites, and the opposite of that.
            Kind::Lazy { left, operator, right } => {
                let is = is(mutants[0].0);
                self.text.push_str(&format!("({is} ^ (({is} ^ ("));
                self.write(left.clone(), within);
                self.text.push_str(&format!(")) {operator} ({is} ^ ("));
                self.write(right.clone(), within);
                self.text.push_str("))))");
                self.write_own(mutants[0].0, |_| {});
            }
            Kind::Assignment { left, operator, right } => {
                self.text.push_str("{ let r_ = ");
                self.write(right.clone(), within);
                self.text.push_str("; ");
                for (number, other) in mutants {
                    self.text.push_str(&format!("if {} {{ ", is(*number)));
                    self.write_own(*number, |writer| {
                        writer.write(left.clone(), within);
                        writer.text.push_str(&format!(" {other} r_"));
                    });
                    self.text.push_str(" } else ");
                }
                self.text.push_str("{ ");
                self.write(left.clone(), within);
                self.text.push_str(&format!(" {operator} r_ }} }}"));
            }
            Kind::Prefix { operator, value } => {
                self.text.push_str("(match ");
                self.write(value.clone(), within);
                self.text.push_str(" { v_ => ");
                self.write_branches(mutants, |_| "v_".to_owned(), &format!("{operator}v_"));
                self.text.push_str(" })");
            }
            Kind::Body => {
                for (number, value) in mutants {
                    self.text.push_str(&format!(" if {} {{ ", is(*number)));
                    self.write_own(*number, |writer| writer.text.push_str(&format!("return {value};")));
                    self.text.push_str(" }");
                }
            }
            Kind::Pattern => {
                self.text.push_str(&format!(" if !{}", is(mutants[0].0)));
                self.write_own(mutants[0].0, |_| {});
            }
            Kind::Guard => {
                let bytes = self.sites[place].bytes.clone();
                self.text.push('(');
                for (number, other) in mutants {
                    let is = is(*number);
                    self.text.push_str(&if other == "true" {
                        format!("{is} || ")
                    } else {
                        format!("!{is} && ")
                    });
                    self.text.push('(');
                    self.write_own(*number, |_| {});
                }
                self.write(bytes, within);
                self.text.push_str(&")".repeat(mutants.len() + 1));
            }
            Kind::Field { name, value, base, short } => {
                if *short {
                    self.text.push_str(&format!("{name}: "));
                }
                self.text.push_str(&format!("(if {} {{ ", is(mutants[0].0)));
                self.write_own(mutants[0].0, |writer| {
                    writer.text.push('(');
                    writer.write(base.clone(), within);
                    writer.text.push_str(&format!(").{name}"));
                });
                self.text.push_str(" } else { ");
                self.write(value.clone(), within);
                self.text.push_str(" })");
            }
        }
        let end = self.text.len();
        for (number, _) in mutants {
            self.planted.entry(*number).or_default().places.push(start..end);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::{env, fs};

    use super::*;
    use crate::list::Span;

    /// The mutants that replace each of these pieces of a source, all different.
    fn mutants(source: &str, pieces: &[(Genre, &str, &str)]) -> Vec<Mutant> {
        let mutant = |&(genre, piece, replacement): &(Genre, &str, &str)| {
            let byte = source.find(piece).unwrap_or_else(|| panic!("{piece} is in the source"));
            let before = &source[..byte];
            let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
            let start = Position { line: before.matches('\n').count() + 1, column };
            Mutant { file: String::new(), genre, replacement: replacement.to_owned(), span: Span { start } }
        };
        pieces.iter().map(mutant).collect()
    }

    fn planted(source: &str, pieces: &[(Genre, &str, &str)]) -> (String, BTreeMap<usize, Planted>) {
        let mutants = mutants(source, pieces);
        plant(source, &mutants.iter().enumerate().collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn operands_are_written_once() {
        let source = "fn f(a: u32, b: u32) -> bool {\n    a + b * 2 < 7 && b > 1\n}\n";
        let (text, places) =
            planted(source, &[(Genre::BinaryOperator, "+", "-"), (Genre::BinaryOperator, "<", ">")]);
        assert_eq!(
            text,
            "fn f(a: u32, b: u32) -> bool {\n    (match (&((match (a, b * 2) { (l_, r_) => if crate::mutant_switch::is(0) { l_ - r_ } \
             else { l_ + r_ } })), &(7)) { (l_, r_) => if crate::mutant_switch::is(1) { *l_ > *r_ } else { *l_ < *r_ } }) && b > 1\n}\n"
        );
        assert_eq!(&text[places[&0].own[0].clone()], "l_ - r_");
        assert_eq!(&text[places[&1].own[0].clone()], "*l_ > *r_");
    }

    #[test]
    fn code_at_compile_time_has_no_switch() {
        let source = "const A: u32 = 1 + 2;\nconst fn f() -> u32 { 3 * 4 }\nfn g(a: Option<u32>) -> bool { if let Some(b) = a && b == 5 { true } else { false } }\n";
        let pieces = [
            (Genre::BinaryOperator, "+", "-"),
            (Genre::BinaryOperator, "*", "+"),
            (Genre::BinaryOperator, "&&", "||"),
        ];
        let (text, places) = planted(source, &pieces);
        assert!(text == source && places.is_empty());
    }

    /// A program whose output each of its mutants changes.
    const PROGRAM: &str = r#"
mod mutant_switch;

#[derive(Clone, Default)]
struct Pair { one: u32, other: u32 }

const TWICE: fn(u32) -> u32 = |number| number << 1;

fn both(a: bool, b: bool) -> bool { a && b }

fn value(number: u32) -> u32 {
    number.pow(2)
}

fn name(number: u32, even: bool) -> &'static str {
    match number {
        1 => "one",
        2 if even => "two",
        _ => "many",
    }
}

fn main() {
    let mut sum = 3;
    sum += value(2) - 1;
    let pair = Pair { one: 5, ..Pair::default() };
    let known = !both(true, false);
    let more = pair.one / 2 >= pair.other;
    println!("{sum} {more} {known} {} {} {} {}", name(1, true), name(2, true), name(2, false), TWICE(3));
}
"#;

    #[test]
    fn each_mutant_compiles_and_can_be_switched_on() {
        let pieces = [
            (Genre::BinaryOperator, "<< 1", ">>"),
            (Genre::BinaryOperator, "&& b", "||"),
            (Genre::FnValue, "number.pow", "0"),
            (Genre::MatchArm, "1 => \"one\"", ""),
            (Genre::MatchArmGuard, "even =>", "true"),
            (Genre::MatchArmGuard, "even =>", "false"),
            (Genre::MatchArm, "2 if", ""),
            (Genre::BinaryOperator, "+=", "-="),
            (Genre::BinaryOperator, "- 1", "/"),
            (Genre::StructField, "one: 5", ""),
            (Genre::UnaryOperator, "!both", ""),
            (Genre::BinaryOperator, "/ 2", "*"),
            (Genre::BinaryOperator, ">= pair", "<"),
        ];
        let (text, places) = planted(PROGRAM, &pieces);
        assert_eq!(places.len(), pieces.len());
        let folder = env::temp_dir().join(format!("corefeval-mutants-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("main.rs"), text).unwrap();
        fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/switch.rs"), folder.join("mutant_switch.rs")).unwrap();
        let program = folder.join("program");
        let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let command = ["--edition", "2024", "--cap-lints", "allow", "-o"];
        let compiled = Command::new(rustc).args(command).arg(&program).arg(folder.join("main.rs")).status();
        assert!(compiled.unwrap().success());
        let run = |variable: &str, value: &str| {
            let done = Command::new(&program).env(variable, value).output().unwrap();
            String::from_utf8(done.stdout).unwrap()
        };
        let usual = run("COREFEVAL_MUTANT", "none");
        assert_eq!(usual, "6 true true one two many 6\n");
        // Neither half of five nor `2 * 5` is below zero.
        let same = [9, 11];
        for number in 0..pieces.len() {
            let found = run("COREFEVAL_MUTANT", &number.to_string());
            assert_eq!(found == usual, same.contains(&number), "{number}: {found}");
        }
        let reached = folder.join("reached");
        assert_eq!(run("COREFEVAL_MUTANTS_REACHED", reached.to_str().unwrap()), usual);
        let mut numbers: Vec<usize> =
            fs::read_to_string(&reached).unwrap().lines().map(|line| line.parse().unwrap()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..pieces.len()).collect::<Vec<_>>());
        fs::remove_dir_all(folder).unwrap();
    }
}
