//! Tests of the project itself: its structure, its dependencies, its habits.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod architecture;
mod building;
mod eve_keys;
mod footprints;
mod layers;
mod licences;
mod protocols;
mod tidy;
mod workspace;
