//! Replies that are large and the same for everybody: encoded once for each inventory, and not for each caller.

use std::sync::OnceLock;

use bytes::{Buf, BufMut, Bytes};
use prost::{
    DecodeError, Message,
    encoding::{DecodeContext, WireType, skip_field},
};

/// A message in its encoded form. It is only ever written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prepared(Bytes);

/// Replies about a group, each made when somebody asks for the first time.
#[derive(Debug, Default)]
pub(crate) struct Replies {
    /// The machines, as the inventory has them.
    pub(crate) machines: OnceLock<Prepared>,
    /// What a new node would look like.
    pub(crate) template: OnceLock<Prepared>,
}

// === impl Prepared ===

impl Prepared {
    pub(crate) fn new(message: &impl Message) -> Self {
        Self(message.encode_to_vec().into())
    }
}

impl Message for Prepared {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        buffer.put_slice(&self.0);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        skip_field(wire_type, tag, buffer, context)
    }

    fn encoded_len(&self) -> usize {
        self.0.len()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}
