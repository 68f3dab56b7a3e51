//! orders.
