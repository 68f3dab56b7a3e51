//! openapi.
