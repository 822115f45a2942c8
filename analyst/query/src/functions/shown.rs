//! Any value as text, for searches in lists of objects, which no cast makes texts of.

use std::sync::Arc;

use arrow::array::{Array, StringArray};
use arrow::datatypes::DataType;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

#[derive(Debug, PartialEq, Eq, Hash)]
struct Shown {
    signature: Signature,
}

impl ScalarUDFImpl for Shown {
    fn name(&self) -> &'static str {
        "shown"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = ColumnarValue::values_to_arrays(&arguments.args)?;
        let mut texts = Vec::new();
        for column in &columns {
            let options = FormatOptions::new();
            let shown = ArrayFormatter::try_new(column.as_ref(), &options)?;
            texts = (0..column.len())
                .map(|row| (!column.is_null(row)).then(|| shown.value(row).to_string()))
                .collect();
        }
        Ok(ColumnarValue::Array(Arc::new(StringArray::from(texts))))
    }
}

/// A value as text, with the names of what is in it.
pub fn shown(value: Expr) -> Expr {
    ScalarUDF::from(Shown { signature: Signature::any(1, Volatility::Immutable) }).call(vec![value])
}
