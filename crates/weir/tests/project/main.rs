//! Tests of the project itself: its structure, its dependencies, its habits.

mod architecture;
mod building;
mod layers;
mod licences;
mod protocols;
mod tidy;
mod workspace;
