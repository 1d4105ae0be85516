//! Walks over the elements and text of XML, with places, for all XML formats.

use crate::wording::Text;
use std::sync::Arc;

use super::file_reader::ErrorList;
use super::not_utf8;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use crate::diagnostic::{Code, Position};
use crate::error::{Error, ErrorKind, Result};

/// Converts places in bytes to lines and columns.
pub(super) struct Places<'s> {
    /// The file.
    pub(super) source: &'s Arc<str>,
    /// The starts of lines.
    starts: Vec<usize>,
}

impl<'s> Places<'s> {
    pub(super) fn new(source: &'s Arc<str>, bytes: &[u8]) -> Places<'s> {
        let ends = memchr::memchr_iter(b'\n', bytes).map(|end| end + 1);
        Places { source, starts: std::iter::once(0).chain(ends).collect() }
    }

    pub(super) fn line_and_column(&self, place: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|&start| start <= place);
        (line as u32, (place - self.starts[line - 1]) as u32 + 1)
    }

    pub(super) fn position(&self, place: usize) -> Position {
        let (line, column) = self.line_and_column(place);
        Position::new(self.source, line, column)
    }

    pub(super) fn error(&self, place: usize, message: impl Into<Text>) -> Error {
        Error::new(ErrorKind::Format, message).at(self.position(place))
    }

    /// Returns the bytes as text. Fails at the first byte that is not UTF-8.
    pub(super) fn text<'b>(&self, bytes: &'b [u8]) -> Result<&'b str> {
        std::str::from_utf8(bytes).map_err(|error| not_utf8(self.position(error.valid_up_to())))
    }
}

/// Returns the text that stand-off annotation refers to.
pub(super) fn companion_text(source: &Arc<str>, text: &[u8]) -> Result<String> {
    let text = Places::new(source, text).text(text)?;
    if u32::try_from(text.len()).is_err() {
        let error = Error::new(ErrorKind::Format, "this text is longer than 4 GiB").coded(Code::NotReadable);
        return Err(error.at(Position::new(source, 0, 0)));
    }
    Ok(text.to_owned())
}

/// The events of a walk.
pub(super) enum XmlEvent<'x> {
    /// An element opens.
    Open(&'x str, Attributes),
    /// The innermost element has malformed attributes or text.
    Broken,
    /// A piece of text; a long text may arrive in several pieces.
    Text(&'x str),
    /// The innermost open element closes.
    Close,
}

/// Names and values, in order.
pub(super) type Attributes = Vec<(String, String)>;

/// Walks through the file and calls `visit` with each node and its place. Unclosed elements are errors.
///
/// The walk continues after errors if the rest is still XML, and fails at its end with all errors. An element with
/// malformed attributes is visited without attributes. Errors of `visit` that follow from this are not reported.
pub(super) fn walk(
    text: &str,
    places: &Places<'_>,
    mut visit: impl FnMut(usize, XmlEvent<'_>) -> Result<()>,
) -> Result<()> {
    let mut errors = ErrorList::default();
    let mut xml = quick_xml::Reader::from_str(text);
    xml.config_mut().expand_empty_elements = true;
    let mut open: Vec<(String, usize)> = Vec::new();
    loop {
        let place = (xml.buffer_position() as usize).min(text.len());
        let event = match xml.read_event() {
            Ok(event) => event,
            Err(error) => {
                let place = (xml.error_position() as usize).min(text.len());
                let error = places.error(place, format!("this is not XML: {error}")).coded(Code::BadMarkup);
                errors.keep(error)?;
                return errors.finish();
            }
        };
        match event {
            Event::Start(start) => {
                let name = start.name().as_ref().to_owned();
                match attributes(&start, place, places) {
                    Ok(attributes) => _ = errors.check(visit(place, XmlEvent::Open(&name, attributes)))?,
                    Err(error) => {
                        errors.keep(error)?;
                        let _ = visit(place, XmlEvent::Open(&name, Attributes::new()));
                        errors.check(visit(place, XmlEvent::Broken))?;
                    }
                }
                open.push((name, place));
            }
            Event::End(_) => {
                open.pop();
                errors.check(visit(place, XmlEvent::Close))?;
            }
            Event::Text(part) => _ = errors.check(visit(place, XmlEvent::Text(&part.into_inner())))?,
            Event::CData(part) => _ = errors.check(visit(place, XmlEvent::Text(&part.into_inner())))?,
            Event::GeneralRef(name) => {
                let character = match (name.resolve_char_ref(), &*name.borrow().into_inner()) {
                    (Ok(Some(character)), _) => character,
                    (Ok(None), "lt") => '<',
                    (Ok(None), "gt") => '>',
                    (Ok(None), "amp") => '&',
                    (Ok(None), "quot") => '"',
                    (Ok(None), "apos") => '\'',
                    (_, name) => {
                        let error = places
                            .error(place, format!("`&{name};` is not an XML entity"))
                            .coded(Code::BadMarkup);
                        errors.keep(error.hint("write `&amp;` for an ampersand"))?;
                        errors.check(visit(place, XmlEvent::Broken))?;
                        continue;
                    }
                };
                errors.check(visit(place, XmlEvent::Text(character.encode_utf8(&mut [0; 4]))))?;
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if let Some((name, place)) = open.last() {
        let error =
            places.error(*place, format!("`{name}` opens here and does not close")).coded(Code::CutOff);
        errors.keep(error.hint("is the file cut short?"))?;
    }
    errors.finish()
}

/// The maximum number of attributes of an element; the formats here have at most twenty.
const MOST_ATTRIBUTES: usize = 200;

/// Returns the attributes of an element, in order.
fn attributes(start: &BytesStart<'_>, place: usize, places: &Places<'_>) -> Result<Attributes> {
    let wrong =
        |message: String| places.error(place, format!("this is not XML: {message}")).coded(Code::BadMarkup);
    let mut attributes = start.attributes();
    // Each attribute is compared with all attributes before it.
    let most = attributes.by_ref().take(MOST_ATTRIBUTES + 1).count();
    if most > MOST_ATTRIBUTES {
        return Err(places
            .error(place, format!("this element has more than {MOST_ATTRIBUTES} attributes"))
            .coded(Code::BadMarkup));
    }
    start
        .attributes()
        .map(|attribute| {
            let attribute = attribute.map_err(|error| wrong(error.to_string()))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| wrong(error.to_string()))?;
            Ok((attribute.key.as_ref().to_owned(), value.trim().to_owned()))
        })
        .collect()
}

/// Returns the value of an attribute.
pub(super) fn value(attributes: &[(String, String)], name: &str) -> Option<String> {
    attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
}
