//! Functions of the field, beside those of SQL.

mod addresses;
mod community_id;
mod shown;
mod texts;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array, StringArray};
use arrow::datatypes::{DataType, Int64Type};
use datafusion::common::Result;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{ColumnarValue, ScalarUDF, Volatility, create_udf};

pub use shown::shown;

/// A function for the list of them.
pub struct Listed {
    /// How it is called.
    pub call: &'static str,
    /// What it answers, in a sentence.
    pub about: &'static str,
}

/// All functions that are not SQL's own.
pub const FUNCTIONS: &[Listed] = &[
    Listed {
        call: "cidr_match(address, networks)",
        about: "Whether an address is in one of the networks, as in '10.0.0.0/8,fd00::/8'",
    },
    Listed {
        call: "is_private(address)",
        about: "Whether an address is of a private network, of the machine or of the link",
    },
    Listed { call: "ip_version(address)", about: "4 or 6" },
    Listed {
        call: "community_id(address, port, address, port, protocol)",
        about: "The community id of a connection, version 1, seed 0; protocol as 'tcp' or 6",
    },
    Listed { call: "jaccard(a, b)", about: "How alike two texts are by their pairs of letters, 0 to 1" },
    Listed { call: "entropy(text)", about: "Bits of information in a byte of a text, 0 to 8" },
    Listed {
        call: "parent_domain(name, labels)",
        about: "The last labels of a domain name: 'example.com' of 'a.b.example.com', 2",
    },
];

/// Adds the functions to a session.
pub fn register(context: &SessionContext) {
    for function in
        addresses::functions().into_iter().chain(texts::functions()).chain(community_id::functions())
    {
        context.register_udf(function);
    }
}

/// A function of columns.
type OfColumns = fn(&Arguments) -> ArrayRef;

/// Columns that a function is called with.
pub(crate) struct Arguments {
    columns: Vec<ArrayRef>,
}

impl Arguments {
    /// The number of rows.
    fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.len())
    }

    /// Returns a text.
    fn text(&self, column: usize, row: usize) -> Option<&str> {
        let texts = self.columns.get(column)?.as_string_opt::<i32>()?;
        (row < texts.len() && !texts.is_null(row)).then(|| texts.value(row))
    }

    /// Returns a whole number.
    fn number(&self, column: usize, row: usize) -> Option<i64> {
        let numbers = self.columns.get(column)?.as_primitive_opt::<Int64Type>()?;
        (row < numbers.len() && !numbers.is_null(row)).then(|| numbers.value(row))
    }

    /// A truth for each row.
    fn truths(&self, of: impl Fn(usize) -> Option<bool>) -> ArrayRef {
        Arc::new((0..self.rows()).map(of).collect::<BooleanArray>())
    }

    /// A number for each row.
    fn measures(&self, of: impl Fn(usize) -> Option<f64>) -> ArrayRef {
        Arc::new((0..self.rows()).map(of).collect::<Float64Array>())
    }

    /// A text for each row.
    fn texts(&self, of: impl Fn(usize) -> Option<String>) -> ArrayRef {
        Arc::new((0..self.rows()).map(of).collect::<StringArray>())
    }
}

/// Makes a function for SQL.
fn function(name: &str, takes: Vec<DataType>, gives: DataType, of: OfColumns) -> ScalarUDF {
    let call = move |values: &[ColumnarValue]| -> Result<ColumnarValue> {
        let constant = values.iter().all(|value| matches!(value, ColumnarValue::Scalar(_)));
        let columns = ColumnarValue::values_to_arrays(values)?;
        let answer = of(&Arguments { columns });
        if constant {
            return Ok(ColumnarValue::Scalar(datafusion::common::ScalarValue::try_from_array(&answer, 0)?));
        }
        Ok(ColumnarValue::Array(answer))
    };
    create_udf(name, takes, gives, Volatility::Immutable, Arc::new(call))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Asks for the value of an expression.
    pub(crate) fn value(expression: &str) -> String {
        let context = SessionContext::new();
        register(&context);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let batches = runtime.block_on(async {
            context.sql(&format!("select {expression}")).await.unwrap().collect().await.unwrap()
        });
        arrow::util::display::array_value_to_string(batches[0].column(0), 0).unwrap()
    }

    #[test]
    fn each_function_is_listed() {
        let names: Vec<String> = addresses::functions()
            .iter()
            .chain(&texts::functions())
            .chain(&community_id::functions())
            .map(|function| function.name().to_owned())
            .collect();
        let listed: Vec<&str> = FUNCTIONS.iter().filter_map(|listed| listed.call.split('(').next()).collect();
        for name in &names {
            assert!(listed.contains(&name.as_str()), "{name}");
        }
        assert_eq!(names.len(), listed.len());
    }
}
