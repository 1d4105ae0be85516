//! Converts a document to bytes and back, for programs that pass it between processes.

use super::Document;
use crate::error::{Error, ErrorKind, Result};
use crate::version::VERSION;

impl Document {
    /// Returns the whole document as bytes, which [`from_state`](Self::from_state) of the same version can read.
    pub fn to_state(&self) -> Vec<u8> {
        // The maps of the model have names as keys, and writing to memory does not fail.
        serde_json::to_vec(&(VERSION, self)).expect("a document can be written")
    }

    /// Restores a document from the bytes that [`to_state`](Self::to_state) returned.
    ///
    /// ```
    /// use corefeval_core::formats::{FormatSpec, ReadOptions};
    /// use corefeval_core::model::Document;
    /// let text = b"#begin document (note); part 000\nAda\t(0)\n#end document\n";
    /// let corpus = FormatSpec::named("conll")?.read(text, "note.conll", ReadOptions::default())?;
    /// let state = corpus.documents[0].to_state();
    /// assert_eq!(Document::from_state(&state)?.to_state(), state);
    /// assert!(Document::from_state(&state[1..]).is_err());
    /// # Ok::<(), corefeval_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The bytes are not from [`to_state`](Self::to_state) of the same version, or are damaged.
    pub fn from_state(bytes: &[u8]) -> Result<Document> {
        let wrong = |message: String| {
            let error = Error::new(ErrorKind::Format, message);
            error.hint("pickle and unpickle it with the same version of corefeval")
        };
        let (version, rest) = serde_json::from_slice::<(String, &serde_json::value::RawValue)>(bytes)
            .map_err(|error| wrong(format!("this is not a pickled document: {error}")))?;
        if version != VERSION {
            return Err(wrong(format!("this document was pickled by version {version}; this is {VERSION}")));
        }
        let document: Document = serde_json::from_str(rest.get())
            .map_err(|error| wrong(format!("this is not a pickled document: {error}")))?;
        match document.is_whole() {
            true => Ok(document),
            false => Err(wrong("this pickled document is damaged".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{FormatSpec, ReadOptions};

    #[test]
    fn damaged_bytes_are_an_error() {
        let text = b"#begin document (note); part 000\nAda\t(0)\nslept\t-\n#end document\n";
        let options = ReadOptions::with_layers();
        let corpus = FormatSpec::named("conll").unwrap().read(text, "note.conll", options).unwrap();
        let state = String::from_utf8(corpus.documents[0].to_state()).unwrap();
        assert!(Document::from_state(state.as_bytes()).is_ok());
        for (whole, damaged) in [
            ("\"start\":0,\"end\":1", "\"start\":1,\"end\":1"),
            ("\"start\":0,\"end\":1", "\"start\":7,\"end\":9"),
            ("\"count\":2", "\"count\":0"),
            ("\"entity\":0", "\"entity\":5"),
            ("\"sentences\":[0]", "\"sentences\":[0,9]"),
            ("\"ends\":[3,8]", "\"ends\":[3,9]"),
            (VERSION, "0.0.0"),
        ] {
            assert!(state.contains(whole), "{whole} in {state}");
            let damaged = state.replacen(whole, damaged, 1);
            assert!(Document::from_state(damaged.as_bytes()).is_err(), "{damaged}");
        }
    }
}
