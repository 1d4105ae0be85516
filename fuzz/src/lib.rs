//! Code that several targets share: reading bytes in a format, and documents made from a few numbers.

use std::env;
use std::sync::{Arc, LazyLock};

use arbitrary::Arbitrary;
use corefeval_core::error::Error;
use corefeval_core::formats::{FormatSpec, ReadOptions, Side};
use corefeval_core::model::{
    Annotation, Corpus, Document, DocumentBuilder, DocumentId, EntityId, Mention, MentionDetails, Relations,
    Span, SpanEnd, SplitAntecedent, WordsBuilder,
};

/// The separate text, for formats that have one.
const TEXT: &str =
    "Ada had a boat.\nShe was on its brid\u{e9}ge, and the c\u{fe0f}rew: on 彼女の shore\r\n\r\nIt sank.\n";

/// The format named in the environment, for a run of one format.
static CHOSEN: LazyLock<Option<&'static FormatSpec>> = LazyLock::new(|| {
    let id = env::var("FUZZ_FORMAT").ok()?;
    Some(FormatSpec::named(&id).expect("FUZZ_FORMAT names a format"))
});

/// Bytes to read, with their format and options.
///
/// The first byte of an input chooses the format, unless `FUZZ_FORMAT` names one; the second sets the options that the
/// format leaves open.
#[derive(Clone, Copy)]
pub struct Given<'d> {
    /// The format.
    pub format: &'static FormatSpec,
    /// The bytes of the file.
    pub bytes: &'d [u8],
    flags: u8,
}

impl<'d> Given<'d> {
    /// Splits an input into its parts; `None` if it is too short.
    pub fn new(data: &'d [u8]) -> Option<Given<'d>> {
        let [format, flags, bytes @ ..] = data else { return None };
        let mut of_documents = FormatSpec::of_documents().cycle();
        let format = CHOSEN.or_else(|| of_documents.nth(usize::from(*format)))?;
        Some(Given { format, bytes, flags: *flags })
    }

    /// Keeps all layers.
    pub fn with_layers(self) -> Given<'d> {
        Given { flags: self.flags | 1, ..self }
    }

    fn options(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        options.keep_layers = self.flags & 1 != 0;
        options.boundary_crossing = self.flags & 2 != 0;
        if self.flags & 4 != 0 {
            options.side = Side::Response;
        }
        if self.flags & 8 != 0 {
            options.span_end = SpanEnd::Exclusive;
        }
        if self.flags & 16 != 0 {
            options.annotation = Annotation::DiscourseDeixis;
        }
        options
    }

    /// Returns whether to read the bytes a second time, in another way.
    pub fn is_read_twice(&self) -> bool {
        self.flags & 32 == 0
    }

    /// Reads the bytes in blocks of a number of lines.
    pub fn read(&self, lines: usize) -> Result<Corpus, Error> {
        let mut reader = self.format.reader(Arc::from("x"), self.options());
        if self.format.companion.is_some() {
            reader.companion(Arc::from("x.txt"), TEXT.as_bytes())?;
        }
        let mut start = 0;
        if lines < self.bytes.len() {
            let ends = (1..).zip(self.bytes).filter(|(_, byte)| **byte == b'\n').map(|(end, _)| end);
            for end in ends.skip(lines - 1).step_by(lines) {
                reader.feed(&self.bytes[start..end])?;
                start = end;
            }
        }
        reader.feed(&self.bytes[start..])?;
        reader.finish()
    }
}

/// Describes the result of reading.
pub fn described(result: &Result<Corpus, Error>) -> String {
    match result {
        Err(error) => error.to_string(),
        Ok(corpus) => {
            let one = |document: &Document| {
                let (words, relations) = (document.words(), document.relations());
                format!(
                    "{} {} {:?} {:?} {:?} {relations:?}",
                    document.id(),
                    words.count(),
                    words.sentences(),
                    document.entities(),
                    document.mentions()
                )
            };
            format!("{:?} {:?}", corpus.documents.iter().map(one).collect::<Vec<_>>(), corpus.diagnostics)
        }
    }
}

/// The number of words of each document.
const WORDS: u32 = 12;
/// The number of empty nodes after them.
const ZEROS: u32 = 3;
/// The number of entities of each document.
const ENTITIES: u8 = 6;

/// The mentions of one side: some are repeated, nested or discontinuous, some are empty nodes, some entities are
/// split antecedents.
#[derive(Arbitrary, Clone, Debug, PartialEq, Eq)]
pub struct Annotated {
    /// Entity, first word and length; the higher bits of the length add a second part, a head and a minimum span.
    pub mentions: Vec<(u8, u8, u8)>,
    /// A split antecedent and one of the entities that it sums.
    pub sums: Vec<(u8, u8)>,
}

impl Annotated {
    /// Returns the document; `None` if the model refuses it.
    pub fn document(&self) -> Option<Document> {
        let mut words = WordsBuilder::new(false);
        for word in 0..WORDS {
            words.push(&[b'a' + word as u8]);
            if word % 5 == 4 {
                words.end_sentence();
            }
        }
        (0..ZEROS).for_each(|_| _ = words.push_empty_node());
        let mut document = DocumentBuilder::new(DocumentId::new("d"), Arc::from("d"), 1);
        document.entities = (0..ENTITIES).map(|entity| format!("e{entity}").into()).collect();
        for &(entity, start, length) in self.mentions.iter().take(40) {
            let start = u32::from(start) % (WORDS + ZEROS);
            let end = match start < WORDS {
                true => (start + 1 + u32::from(length) % 4).min(WORDS),
                false => start + 1,
            };
            let entity = EntityId::new(usize::from(entity % ENTITIES));
            let mut mention = Mention::new(Span::new(start, end)?, entity, 1, 1);
            let gap = end + 1;
            if length >= 192 && gap < WORDS {
                let parts = vec![Span::new(start, end)?, Span::new(gap, gap + 1)?];
                mention = Mention::new(Span::new(start, gap + 1)?, entity, 1, 1);
                mention = mention.with_details(MentionDetails { parts, ..MentionDetails::default() })?;
            }
            if length & 4 != 0 {
                mention = mention.with_head(start);
            }
            if length & 8 != 0 {
                mention = mention.with_min_span(Span::new(start, start + 1)?)?;
            }
            document.mentions.push(mention);
        }
        let mut splits: Vec<SplitAntecedent> = Vec::new();
        for &(sum, part) in self.sums.iter().take(8) {
            let entity = |number: u8| EntityId::new(usize::from(number % ENTITIES));
            let (sum, part) = (entity(sum), entity(part));
            match splits.iter_mut().find(|split| split.entity == sum) {
                Some(split) if split.parts.contains(&part) => {}
                Some(split) => split.parts.push(part),
                None => splits.push(SplitAntecedent { entity: sum, parts: vec![part], line: 1 }),
            }
        }
        if !splits.is_empty() {
            document.relations =
                Some(Box::new(Relations { split_antecedents: splits, ..Relations::default() }));
        }
        document.finish(words.finish()).ok()
    }
}
