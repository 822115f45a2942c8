//! `weir._native`: records and hunts for Python, over the crates that `weir query` and `weir hunt` are made of. What is
//! Python's own (finding the program, tables of pyarrow, Ray) is in `weir/*.py`.

mod hunts;
mod records;
mod watch;

pyo3::create_exception!(weir, Error, pyo3::exceptions::PyException, "What could not be done; a sentence.");

/// Makes an exception of a sentence.
fn error(sentence: impl std::fmt::Display) -> pyo3::PyErr {
    Error::new_err(sentence.to_string())
}

/// What is behind the package `weir`.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::Error;
    #[pymodule_export]
    use super::hunts::{Hunt, Parts, read, search, version};
    #[pymodule_export]
    use super::records::{Answer, Batch, Session};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
