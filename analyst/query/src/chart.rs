//! Charts in a terminal.

use arrow::array::AsArray;
use arrow::array::{Array, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type};
use arrow::util::display::{ArrayFormatter, FormatOptions};

use crate::output::{each_batch, plain};
use crate::session::{Answer, QueryError};

/// Bars that are drawn at most.
const MOST_BARS: usize = 200;
/// Letters of a label at most.
const LABEL: usize = 40;
/// Parts of a letter's width, from one eighth to all of it.
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// Draws a bar for each row of an answer: its length is the last column of numbers, its label the columns before it. `width`
/// is that of the terminal in letters.
pub async fn chart(answer: Answer, width: usize) -> Result<String, QueryError> {
    let schema = answer.schema();
    let measure = schema.fields().iter().rposition(|field| field.data_type().is_numeric());
    let Some(measure) = measure else {
        return Err(QueryError("A chart needs a column of numbers, as count(*).".to_owned()));
    };
    let mut bars: Vec<(String, f64)> = Vec::new();
    let mut rows = 0;
    each_batch(answer, &mut |batch| {
        rows += batch.num_rows();
        if bars.len() < MOST_BARS {
            bars.extend(bars_of(&batch, measure)?.into_iter().take(MOST_BARS - bars.len()));
        }
        Ok(())
    })
    .await?;
    let mut text = draw(&bars, width);
    if rows > bars.len() {
        text.push_str(&format!("and {} rows more\n", rows - bars.len()));
    }
    Ok(text)
}

fn bars_of(batch: &RecordBatch, measure: usize) -> Result<Vec<(String, f64)>, QueryError> {
    let failed = |error: arrow::error::ArrowError| QueryError(error.to_string());
    let options = FormatOptions::new().with_timestamp_tz_format(Some("%Y-%m-%d %H:%M:%S"));
    let labels =
        batch.columns().iter().take(measure).map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
    let labels = labels.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let numbers = cast(batch.column(measure), &DataType::Float64).map_err(failed)?;
    let numbers = numbers.as_primitive::<Float64Type>();
    let bar = |row| {
        let word = |text: String| if text.is_empty() { "(none)".to_owned() } else { plain(&text) };
        let words: Vec<String> = labels.iter().map(|label| word(label.value(row).to_string())).collect();
        (words.join(" "), if numbers.is_null(row) { 0.0 } else { numbers.value(row) })
    };
    Ok((0..batch.num_rows()).map(bar).collect())
}

fn draw(bars: &[(String, f64)], width: usize) -> String {
    let label = |text: &str| {
        let letters: Vec<char> = text.chars().collect();
        if letters.len() <= LABEL {
            return text.to_owned();
        }
        letters.iter().take(LABEL - 1).collect::<String>() + "…"
    };
    let longest = bars.iter().map(|(text, _)| text.chars().count().min(LABEL)).max().unwrap_or(0);
    let most = bars.iter().map(|(_, number)| *number).fold(0.0, f64::max);
    let numbers: Vec<String> = bars.iter().map(|(_, number)| shown(*number)).collect();
    let widest = numbers.iter().map(String::len).max().unwrap_or(0);
    let room = width.saturating_sub(longest + widest + 3).clamp(10, 100);
    let mut text = String::new();
    for ((name, number), value) in bars.iter().zip(&numbers) {
        let eighths = if most > 0.0 && *number > 0.0 {
            (number / most * room as f64 * 8.0).round().max(1.0) as usize
        } else {
            0
        };
        let mut bar: String = std::iter::repeat_n('█', eighths / 8).collect();
        bar.extend((eighths % 8).checked_sub(1).and_then(|part| EIGHTHS.get(part)));
        let name = label(name);
        let line = format!("{name:<longest$} {value:>widest$} {bar}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn shown(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{number:.0}") } else { format!("{number:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars() {
        let bars = [
            ("dns".to_owned(), 8.0),
            ("a name".to_owned(), 4.0),
            ("none".to_owned(), 0.0),
            ("few".to_owned(), 0.05),
        ];
        let expected = "dns       8 ██████████\na name    4 █████\nnone      0\nfew    0.05 ▌\n";
        assert_eq!(draw(&bars, 10), expected.replace('▌', "▏"));
        assert_eq!(draw(&[], 80), "");
    }
}
