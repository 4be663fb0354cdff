//! R14: the fence, one number that only grows.

/// A fencing token. The high bits are the generation of the machine's boot, the low 24 the count
/// of grants within it, so that the whole stays below 2^53 and survives a JSON reader that knows
/// only doubles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fence(pub i64);

impl Fence {
    /// Bits of the count.
    pub const COUNT_BITS: u32 = 24;
    /// An open that finds this many grants in the generation begins the next one.
    pub const RENEW_AT: i64 = 1 << (Self::COUNT_BITS - 1);

    /// The fence of grant number `count` (from 1) in `generation`.
    #[must_use]
    pub fn new(generation: i64, count: i64) -> Self {
        Self((generation << Self::COUNT_BITS) + count)
    }
}
