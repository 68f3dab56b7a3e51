//! Kubernetes objects as they are written in JSON: only the fields that are read here.
//!
//! Strings are borrowed from the text, because most of a large file is strings that nobody keeps. As in Go, a field that is
//! absent and one that is `null` are the same, and a field that nobody knows is passed over.

use std::marker::PhantomData;

pub(crate) mod affinity;
pub(crate) mod buffer;
pub(crate) mod condition;
pub(crate) mod container;
pub(crate) mod device;
pub(crate) mod head;
pub(crate) mod meta;
pub(crate) mod node;
pub(crate) mod pod;
pub(crate) mod provisioning;
pub(crate) mod quota;
pub(crate) mod scheduler;
pub(crate) mod storage;
pub(crate) mod value;
pub(crate) mod volume;
pub(crate) mod workload;

/// Reads the fields of a `T`; see [`wire!`].
pub(crate) struct Fields<T>(PhantomData<T>);

impl<T> Fields<T> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

/// Declares objects by their fields: `"nodeName" => node_name: Text<'a>`.
///
/// Serde's own derive would read a list as an object whose fields come in order, and would refuse `null`.
macro_rules! wire {
    ($(
        $(#[$doc:meta])*
        struct $name:ident $(<$life:lifetime>)? { $($key:literal => $field:ident: $type:ty,)* }
    )*) => {$(
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub(crate) struct $name $(<$life>)? {
            $(pub(crate) $field: $type,)*
        }

        impl<'de $(: $life, $life)?> serde::Deserialize<'de> for $name $(<$life>)? {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_any($crate::wire::Fields::<Self>::new())
            }
        }

        impl<'de $(: $life, $life)?> serde::de::Visitor<'de>
            for $crate::wire::Fields<$name $(<$life>)?>
        {
            type Value = $name $(<$life>)?;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
                Ok(Self::Value::default())
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Self::Value, A::Error> {
                $(let mut $field: Option<$type> = None;)*
                while let Some(key) = map.next_key::<$crate::wire::value::Text<'de>>()? {
                    match &*key {
                        $($key => {
                            if $field.replace(map.next_value()?).is_some() {
                                return Err(serde::de::Error::duplicate_field($key));
                            }
                        })*
                        _ => {
                            map.next_value::<serde::de::IgnoredAny>()?;
                        }
                    }
                }
                Ok(Self::Value { $($field: $field.unwrap_or_default(),)* })
            }
        }
    )*};
}
pub(crate) use wire;
