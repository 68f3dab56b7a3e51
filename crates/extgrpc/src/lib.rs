//! extgrpc.
