//! Fenced file leases for AI coding agents that share one checkout.
//!
//! Data flows one way: [`payload`] (the bytes of a hook call) → [`event`] (who calls, and why)
//! → [`intent`] (which files the call will write). What one client does differently from another
//! lives in [`client`].

pub mod client;
pub mod event;
pub mod intent;
pub mod payload;
