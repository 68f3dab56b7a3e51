//! tls.
