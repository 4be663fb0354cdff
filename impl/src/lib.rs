//! Fenced file leases for AI coding agents that share one checkout.

pub mod resource;
pub mod text;
