//! What the tests share.

pub mod conformance;
