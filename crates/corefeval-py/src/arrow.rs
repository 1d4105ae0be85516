//! Arrow values, read in place and numbered: equal values get the same number.
//!
//! This module reads objects with `__arrow_c_stream__` or `__arrow_c_array__`, without the Arrow library that made them
//! and without creating Python objects for values.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryType, ByteArrayType, Int16Type, Int32Type, Int64Type, LargeBinaryType, LargeUtf8Type,
    RunEndIndexType, Utf8Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::ArrowNativeType;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use corefeval_core::threads::caught;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::{PyArray, PyArrayReader};

use crate::numbering::{Fault, MISSING, Result, ValueNumbers, fixed, ordered, texts};

/// Numbers the values of an object with one of the interfaces.
pub fn numbers(object: &Bound<'_, PyAny>) -> Result<ValueNumbers> {
    let py = object.py();
    // A stream has all chunks; an array may be only one chunk.
    if object.hasattr("__arrow_c_stream__")? {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let capsule = capsule.cast_into::<PyCapsule>().map_err(|_| no_capsule("__arrow_c_stream__"))?;
        return guarded(|| {
            let reader = PyArrayReader::from_arrow_pycapsule(&capsule).and_then(PyArrayReader::into_reader);
            let reader = reader.map_err(|error| Fault::Unreadable(error.value(py).to_string()))?;
            // Code that creates the chunks may wait for other Python threads.
            py.detach(|| {
                let field = reader.field();
                let chunks = reader.collect::<std::result::Result<Vec<_>, _>>();
                number_all(&field, &chunks.map_err(|error| Fault::Unreadable(error.to_string()))?)
            })
        });
    }
    let capsules = object.call_method0("__arrow_c_array__")?;
    let capsules = capsules.cast_into::<PyTuple>().map_err(|_| no_capsule("__arrow_c_array__"))?;
    let capsule = |place| -> Result<Bound<'_, PyCapsule>> {
        let capsule = capsules.get_item(place).map_err(|_| no_capsule("__arrow_c_array__"))?;
        capsule.cast_into().map_err(|_| no_capsule("__arrow_c_array__"))
    };
    let (schema, array) = (capsule(0)?, capsule(1)?);
    guarded(|| {
        let array = PyArray::from_arrow_pycapsule(&schema, &array);
        let (array, field) =
            array.map_err(|error| Fault::Unreadable(error.value(py).to_string()))?.into_inner();
        py.detach(|| number_all(&field, &[array]))
    })
}

/// Runs code of the Arrow crates, which trust their input and can panic if it violates the interface.
fn guarded(read: impl FnOnce() -> Result<ValueNumbers>) -> Result<ValueNumbers> {
    let unreadable = || Err(Fault::Unreadable("it violates the Arrow C interface".to_owned()));
    caught(read).unwrap_or_else(unreadable)
}

fn no_capsule(method: &str) -> Fault {
    Fault::Unreadable(format!("{method} gives no capsule"))
}

/// Numbers the values of all chunks, in order of occurrence.
fn number_all(field: &Field, chunks: &[ArrayRef]) -> Result<ValueNumbers> {
    if chunks.iter().map(|chunk| chunk.len()).sum::<usize>() >= MISSING as usize {
        return Err(Fault::TooMany);
    }
    let numbers = number(field.data_type(), chunks)?;
    match numbers.iter().position(|number| *number == MISSING) {
        Some(place) => Err(Fault::Missing(place)),
        None => Ok(ordered(numbers)),
    }
}

/// A number for each value, which equal values share; [`MISSING`] for null and not-a-number.
fn number(kind: &DataType, chunks: &[ArrayRef]) -> Result<Vec<u32>> {
    let data: Vec<ArrayData> = chunks.iter().map(|chunk| chunk.to_data()).collect();
    let mut numbers = match kind {
        DataType::Null => vec![MISSING; chunks.iter().map(|chunk| chunk.len()).sum()],
        DataType::Boolean => {
            let values = chunks.iter().filter_map(|chunk| chunk.as_boolean_opt());
            values.flat_map(|values| values.values().iter().map(u32::from)).collect()
        }
        DataType::Utf8 => strings::<Utf8Type>(chunks)?,
        DataType::LargeUtf8 => strings::<LargeUtf8Type>(chunks)?,
        DataType::Binary => strings::<BinaryType>(chunks)?,
        DataType::LargeBinary => strings::<LargeBinaryType>(chunks)?,
        DataType::Utf8View | DataType::BinaryView => views(&data)?,
        DataType::Dictionary(_, values) => dictionaries(values, chunks)?,
        DataType::RunEndEncoded(ends, values) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(values, chunks)?,
            DataType::Int32 => runs::<Int32Type>(values, chunks)?,
            _ => runs::<Int64Type>(values, chunks)?,
        },
        // A table with one column is read as that column.
        DataType::Struct(fields) => {
            let [field] = &fields[..] else {
                return Err(Fault::Table(fields.iter().map(|field| field.name().clone()).collect()));
            };
            let column = |chunk: &ArrayRef| chunk.as_struct_opt()?.columns().first().cloned();
            number(field.data_type(), &chunks.iter().filter_map(column).collect::<Vec<_>>())?
        }
        kind if kind.is_nested() => return Err(Fault::Type(kind.to_string())),
        // polars passes the addresses of Python objects like this.
        DataType::FixedSizeBinary(_) => {
            let why = "bytes of a fixed number may be the addresses of objects";
            return Err(Fault::Unreadable(why.to_owned()));
        }
        kind => {
            let width = kind.primitive_width().ok_or_else(|| Fault::Type(kind.to_string()))?;
            let pieces = data.iter().map(|data| items(data, width)).collect::<Option<Vec<_>>>();
            fixed(&pieces.ok_or_else(broken)?, width, kind.is_floating()).ok_or_else(broken)?
        }
    };
    let mut start = 0;
    for chunk in chunks {
        for place in nulls(chunk.as_ref()) {
            *numbers.get_mut(start + place).ok_or_else(broken)? = MISSING;
        }
        start += chunk.len();
    }
    if numbers.len() == start { Ok(numbers) } else { Err(broken()) }
}

/// The indices of null values.
fn nulls(array: &dyn Array) -> Vec<usize> {
    let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
    let places = nulls.iter().flat_map(|nulls| nulls.iter().enumerate());
    places.filter_map(|(place, valid)| (!valid).then_some(place)).collect()
}

/// The fault of offsets and indices that point outside their target.
fn broken() -> Fault {
    Fault::Unreadable("its parts do not fit each other".to_owned())
}

/// The bytes of the values of an array; each value has `width` bytes.
fn items(data: &ArrayData, width: usize) -> Option<&[u8]> {
    let (start, end) = (data.offset() * width, (data.offset() + data.len()) * width);
    data.buffers().first()?.as_slice().get(start..end)
}

fn strings<T: ByteArrayType>(chunks: &[ArrayRef]) -> Result<Vec<u32>> {
    let arrays = chunks.iter().filter_map(|chunk| chunk.as_bytes_opt::<T>());
    let strings = arrays.flat_map(|array| {
        let data = array.value_data();
        array.value_offsets().windows(2).map(move |ends| data.get(ends[0].as_usize()..ends[1].as_usize()))
    });
    texts(strings).ok_or_else(broken)
}

fn views(data: &[ArrayData]) -> Result<Vec<u32>> {
    let views = data.iter().flat_map(|data| {
        items(data, 16).unwrap_or_default().as_chunks::<16>().0.iter().map(move |view| {
            // The length, followed by the text itself if it has at most twelve bytes, otherwise by its first four bytes,
            // the number of a buffer and the offset in it.
            let [length, _, buffer, start] = [0, 4, 8, 12].map(|place| {
                view[place..].first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes) as usize)
            });
            match length {
                0..=12 => view.get(4..4 + length),
                _ => data.buffers().get(1 + buffer)?.as_slice().get(start..start + length),
            }
        })
    });
    texts(views).ok_or_else(broken)
}

fn dictionaries(kind: &DataType, chunks: &[ArrayRef]) -> Result<Vec<u32>> {
    let arrays: Vec<_> = chunks.iter().filter_map(|chunk| chunk.as_any_dictionary_opt()).collect();
    let (mut values, mut known) = (Vec::<ArrayRef>::new(), Vec::new());
    let mut end = 0;
    for array in &arrays {
        // Most chunks share a dictionary, which may be large.
        if !values.last().is_some_and(|last| last.to_data().ptr_eq(&array.values().to_data())) {
            end += array.values().len();
            values.push(Arc::clone(array.values()));
        }
        known.push(end - array.values().len()..end);
    }
    let of_values = number(kind, &values)?;
    let mut numbers = Vec::new();
    for (array, known) in arrays.into_iter().zip(known) {
        let known = of_values.get(known).ok_or_else(broken)?;
        let data = array.keys().to_data();
        let width = data.data_type().primitive_width().unwrap_or(8);
        let keys = items(&data, width).ok_or_else(broken)?.chunks_exact(width).map(key);
        // The key of a null is arbitrary.
        let nulls = array.keys().nulls();
        let number = |(place, key)| match nulls {
            Some(nulls) if nulls.is_null(place) => Some(MISSING),
            _ => known.get(usize::try_from(key).ok()?).copied(),
        };
        for key in keys.enumerate() {
            numbers.push(number(key).ok_or_else(broken)?);
        }
    }
    Ok(numbers)
}

/// A key of a dictionary: a non-negative integer of any width.
fn key(bytes: &[u8]) -> u64 {
    match *bytes {
        [key] => key.into(),
        [a, b] => u16::from_ne_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
        _ => bytes.first_chunk().map_or(u64::MAX, |bytes| u64::from_ne_bytes(*bytes)),
    }
}

/// Run-end encoded arrays.
fn runs<E: RunEndIndexType>(field: &Field, chunks: &[ArrayRef]) -> Result<Vec<u32>> {
    let arrays: Vec<_> = chunks.iter().filter_map(|chunk| chunk.as_run_opt::<E>()).collect();
    let values: Vec<ArrayRef> = arrays.iter().map(|array| Arc::clone(array.values())).collect();
    let of_values = number(field.data_type(), &values)?;
    let (mut numbers, mut start) = (Vec::new(), 0);
    for array in arrays {
        let known = of_values.get(start..start + array.values().len()).ok_or_else(broken)?;
        start += known.len();
        let (runs, mut run) = (array.run_ends(), array.get_start_physical_index());
        for place in runs.offset()..runs.offset() + runs.len() {
            while runs.values().get(run).is_some_and(|end| end.as_usize() <= place) {
                run += 1;
            }
            numbers.push(*known.get(run).ok_or_else(broken)?);
        }
    }
    Ok(numbers)
}
