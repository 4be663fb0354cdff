//! A program that does nothing: what starting any program costs, for the bench to compare with.

fn main() {}
