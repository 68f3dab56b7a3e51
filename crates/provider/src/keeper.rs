//! keeper.
