//! The name of an order on the wire.
//!
//! The protocol has no names for orders: a caller that hears nothing and asks again gets twice as much. A client of this project
//! sends the name along as metadata, and a server of this project passes it on to its provider; others do not look at it.

use plimsoll_model::Symbol;
use plimsoll_provider::{Order, OrderId};
use tonic::metadata::{AsciiMetadataValue, MetadataMap};

/// The name, the target that it was decided at, and the number of machines, with spaces between them.
const ORDER: &str = "plimsoll-order";

/// Sends the order along.
pub(crate) fn write(order: &Order, metadata: &mut MetadataMap) {
    let text = format!("{} {} {}", order.id, order.from, order.count);
    if let Ok(value) = AsciiMetadataValue::try_from(text) {
        metadata.insert(ORDER, value);
    }
}

/// The order of this group that was sent along, if it can be one.
pub(crate) fn read(metadata: &MetadataMap, group: Symbol) -> Option<Order> {
    let mut words = metadata.get(ORDER)?.to_str().ok()?.split(' ');
    let id = OrderId::new(words.next()?)?;
    let from = words.next()?.parse().ok()?;
    let count = words.next()?.parse().ok().filter(|count| *count > 0)?;
    words.next().is_none().then_some(Order { id, group, count, from })
}

#[cfg(test)]
mod tests {
    use plimsoll_provider::{Order, OrderId};
    use tonic::metadata::MetadataMap;

    use super::{ORDER, read, write};

    #[test]
    fn an_order_comes_back() {
        let id = OrderId::new("pass-7-web").unwrap();
        let order = Order { id, group: "web".into(), count: 3, from: 4 };
        let mut metadata = MetadataMap::new();
        write(&order, &mut metadata);
        assert_eq!(read(&metadata, "web".into()), Some(order));
    }

    #[test]
    fn what_is_no_order_is_none() {
        for text in
            ["", "a", "a 1", "a 1 0", "a 1 2 3", "a -1 2", "A 1 2", "a 1 4294967296", "a  1 2"]
        {
            let mut metadata = MetadataMap::new();
            metadata.insert(ORDER, text.parse().unwrap());
            assert_eq!(read(&metadata, "web".into()), None, "{text:?}");
        }
    }
}
