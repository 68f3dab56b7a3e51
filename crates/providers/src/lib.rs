//! providers.
