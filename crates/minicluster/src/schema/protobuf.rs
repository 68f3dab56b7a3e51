//! Bodies in protobuf, which some of kubectl's commands send and nothing else.
//!
//! There are no generated messages: the table of types has the numbers of the fields, and that is enough to turn a message into
//! the JSON it stands for.

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Buf;
use jiff::Timestamp;
use prost::encoding::{WireType, decode_key, decode_varint};
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::{Shape, Type, built_in, built_in_kind};

/// What a body in protobuf begins with.
const MAGIC: &[u8] = b"k8s\0";
/// Messages inside messages inside messages: more than any type has.
const DEEPEST: usize = 100;

/// Why a body in protobuf cannot be read.
#[derive(Debug, Error)]
pub enum ProtobufError {
    /// It does not begin as such bodies do.
    #[error("provided data does not appear to be a protobuf message, expected prefix {MAGIC:?}")]
    Prefix,
    /// It ends too early, or is no message at all.
    #[error("unable to read the protobuf message: {0}")]
    Malformed(#[from] prost::DecodeError),
    /// It ends too early.
    #[error("unexpected end of the protobuf message")]
    Short,
    /// Messages are inside messages without end.
    #[error("the protobuf message is nested too deeply")]
    Deep,
    /// Nobody knows the kind.
    #[error("no kind {kind:?} is registered for version {api_version:?}")]
    Unknown {
        /// What the message says of its version.
        api_version: String,
        /// What the message says of its kind.
        kind: String,
    },
}

/// One field of a message as it is on the wire.
#[derive(Clone, Copy)]
enum Wire<'b> {
    Varint(u64),
    Fixed(u64),
    Bytes(&'b [u8]),
}

/// Reads a body: the envelope says which type is inside. What is read is the JSON that would have said the same, zero values
/// included; it is for [`super::decode`] to bring it to its form.
pub fn from_protobuf(body: &[u8]) -> Result<Value, ProtobufError> {
    let mut rest = body.strip_prefix(MAGIC).ok_or(ProtobufError::Prefix)?;
    let (mut meta, mut raw): (&[u8], &[u8]) = (&[], &[]);
    while let Some((number, field)) = next(&mut rest)? {
        match (number, field) {
            (1, Wire::Bytes(bytes)) => meta = bytes,
            (2, Wire::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    let (mut api_version, mut kind) = (String::new(), String::new());
    while let Some((number, field)) = next(&mut meta)? {
        match (number, field) {
            (1, Wire::Bytes(bytes)) => api_version = text(bytes),
            (2, Wire::Bytes(bytes)) => kind = text(bytes),
            _ => {}
        }
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let ty = match kind.as_str() {
        // Every group has it; it is the same everywhere.
        "DeleteOptions" => built_in("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"),
        _ => built_in_kind(group, version, &kind),
    };
    let Some(ty) = ty else { return Err(ProtobufError::Unknown { api_version, kind }) };
    let mut object = Map::new();
    message(&ty, &mut Vec::new(), raw, &mut object, 0)?;
    object.insert("apiVersion".to_owned(), json!(api_version));
    object.insert("kind".to_owned(), json!(kind));
    Ok(Value::Object(object))
}

/// Reads a message of a struct into its members. `inside` are the numbers that lead to messages which JSON does not show.
fn message(
    ty: &Type,
    inside: &mut Vec<u32>,
    mut bytes: &[u8],
    members: &mut Map<String, Value>,
    depth: usize,
) -> Result<(), ProtobufError> {
    let Shape::Struct(of) = ty.shape() else { return Ok(()) };
    if depth > DEEPEST {
        return Err(ProtobufError::Deep);
    }
    while let Some((number, field)) = next(&mut bytes)? {
        inside.push(number);
        let found = of.fields.iter().find(|(_, below)| *below.wire == **inside);
        match (found, field) {
            (Some((name, below)), _) => {
                let slot = members.entry(&**name).or_insert(Value::Null);
                add(below, field, slot, depth)?;
            }
            (None, Wire::Bytes(hidden))
                if of.fields.values().any(|below| below.wire.starts_with(inside)) =>
            {
                message(ty, inside, hidden, members, depth + 1)?;
            }
            _ => {}
        }
        inside.pop();
    }
    Ok(())
}

/// Puts a field into its place: lists and maps grow by what comes.
fn add(ty: &Type, field: Wire<'_>, slot: &mut Value, depth: usize) -> Result<(), ProtobufError> {
    match (ty.shape(), field) {
        (Shape::List(of), _) => {
            if !slot.is_array() {
                *slot = json!([]);
            }
            if let Value::Array(items) = slot {
                items.push(value(of, field, depth)?);
            }
        }
        (Shape::Map(of), Wire::Bytes(mut entry)) => {
            let mut key = String::new();
            let mut found = Value::Null;
            while let Some((number, part)) = next(&mut entry)? {
                match (number, part) {
                    (1, Wire::Bytes(bytes)) => key = text(bytes),
                    (2, _) => found = value(of, part, depth)?,
                    _ => {}
                }
            }
            if !slot.is_object() {
                *slot = json!({});
            }
            if let Value::Object(members) = slot {
                members.insert(key, found);
            }
        }
        _ => *slot = value(ty, field, depth)?,
    }
    Ok(())
}

/// One value.
fn value(ty: &Type, field: Wire<'_>, depth: usize) -> Result<Value, ProtobufError> {
    Ok(match (ty.shape(), field) {
        (Shape::Boolean, Wire::Varint(number)) => json!(number != 0),
        (Shape::Integer32 | Shape::Integer64, Wire::Varint(number)) => json!(number.cast_signed()),
        (Shape::Number, Wire::Fixed(bits)) => json!(f64::from_bits(bits)),
        (Shape::String, Wire::Bytes(bytes)) => json!(text(bytes)),
        (Shape::Bytes, Wire::Bytes(bytes)) => json!(STANDARD.encode(bytes)),
        (Shape::Quantity, Wire::Bytes(bytes)) => match first(bytes)? {
            Some(Wire::Bytes(bytes)) => json!(text(bytes)),
            _ => json!("0"),
        },
        (Shape::Time, Wire::Bytes(bytes)) => time(bytes, "%Y-%m-%dT%H:%M:%SZ")?,
        (Shape::MicroTime, Wire::Bytes(bytes)) => time(bytes, "%Y-%m-%dT%H:%M:%S.%6fZ")?,
        (Shape::IntOrString, Wire::Bytes(bytes)) => int_or_string(bytes)?,
        (Shape::Struct(_), Wire::Bytes(bytes)) => {
            let mut members = Map::new();
            message(ty, &mut Vec::new(), bytes, &mut members, depth + 1)?;
            Value::Object(members)
        }
        // Free JSON is bytes inside a message.
        (Shape::Any | Shape::Either(_), Wire::Bytes(bytes)) => match first(bytes)? {
            Some(Wire::Bytes(raw)) => serde_json::from_slice(raw).unwrap_or_default(),
            _ => Value::Null,
        },
        // A list as the value of a map is a message with a list in it.
        (Shape::List(of), Wire::Bytes(mut bytes)) => {
            let mut items = Vec::new();
            while let Some((_, item)) = next(&mut bytes)? {
                items.push(value(of, item, depth)?);
            }
            Value::Array(items)
        }
        _ => Value::Null,
    })
}

/// Seconds and nanoseconds; an empty message is a time that was never set.
fn time(mut bytes: &[u8], layout: &str) -> Result<Value, ProtobufError> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let (mut seconds, mut nanos) = (0, 0);
    while let Some((number, field)) = next(&mut bytes)? {
        match (number, field) {
            (1, Wire::Varint(number)) => seconds = number.cast_signed(),
            (2, Wire::Varint(number)) => nanos = i32::try_from(number).unwrap_or_default(),
            _ => {}
        }
    }
    let at = Timestamp::new(seconds, nanos).unwrap_or_default();
    Ok(json!(at.strftime(layout).to_string()))
}

fn int_or_string(mut bytes: &[u8]) -> Result<Value, ProtobufError> {
    let (mut is_text, mut number, mut words) = (false, 0, String::new());
    while let Some((field, part)) = next(&mut bytes)? {
        match (field, part) {
            (1, Wire::Varint(kind)) => is_text = kind == 1,
            (2, Wire::Varint(given)) => number = given.cast_signed(),
            (3, Wire::Bytes(given)) => words = text(given),
            _ => {}
        }
    }
    Ok(if is_text { json!(words) } else { json!(number) })
}

/// The field with the number one.
fn first(mut bytes: &[u8]) -> Result<Option<Wire<'_>>, ProtobufError> {
    while let Some((number, field)) = next(&mut bytes)? {
        if number == 1 {
            return Ok(Some(field));
        }
    }
    Ok(None)
}

/// The next field of a message, if there is one.
fn next<'b>(bytes: &mut &'b [u8]) -> Result<Option<(u32, Wire<'b>)>, ProtobufError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let (number, wire) = decode_key(bytes)?;
    let field = match wire {
        WireType::Varint => Wire::Varint(decode_varint(bytes)?),
        WireType::SixtyFourBit => {
            Wire::Fixed(bytes.try_get_u64_le().map_err(|_| ProtobufError::Short)?)
        }
        WireType::ThirtyTwoBit => {
            Wire::Fixed(bytes.try_get_u32_le().map_err(|_| ProtobufError::Short)?.into())
        }
        WireType::LengthDelimited => {
            let length = usize::try_from(decode_varint(bytes)?).unwrap_or(usize::MAX);
            let (inner, rest) = bytes.split_at_checked(length).ok_or(ProtobufError::Short)?;
            *bytes = rest;
            Wire::Bytes(inner)
        }
        WireType::StartGroup | WireType::EndGroup => return Err(ProtobufError::Short),
    };
    Ok(Some((number, field)))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
