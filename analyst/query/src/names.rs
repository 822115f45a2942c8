//! Names with dots as users of the logs write them: `http.hostname`, `id.orig_h`, `c.id.orig_h`.

use std::collections::HashSet;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    AccessExpr, Expr, Ident, ObjectName, ObjectNamePart, Statement, visit_expressions_mut, visit_relations,
};

/// Returns the tables that a statement names, each as its schema, where it says one, and its name.
pub fn tables_of(statement: &Statement) -> Vec<(Option<String>, String)> {
    let mut tables = Vec::new();
    let _ = visit_relations(statement, |ObjectName(parts)| {
        let words: Vec<String> = parts
            .iter()
            .filter_map(|part| match part {
                ObjectNamePart::Identifier(word) => Some(text_of(word)),
                ObjectNamePart::Function(_) => None,
            })
            .collect();
        let named = match words.as_slice() {
            [table] => Some((None, table.clone())),
            [.., schema, table] => Some((Some(schema.clone()), table.clone())),
            [] => None,
        };
        if let Some(named) = named.filter(|named| !tables.contains(named)) {
            tables.push(named);
        }
        ControlFlow::<()>::Continue(())
    });
    tables
}

/// A word as it is looked up: as written in quotes, else in small letters.
fn text_of(word: &Ident) -> String {
    if word.quote_style.is_some() { word.value.clone() } else { word.value.to_ascii_lowercase() }
}

/// Makes one name of the words that together are the name of a column.
pub fn join(statement: &mut Statement, columns: &HashSet<String>) {
    let _ = visit_expressions_mut(statement, |expression| {
        match expression {
            Expr::Identifier(word) if word.quote_style.is_none() && columns.contains(&word.value) => {
                word.quote_style = Some('"');
            }
            Expr::CompoundIdentifier(words) => {
                if let Some(named) = named(words, columns) {
                    *expression = named;
                }
            }
            // `dns.queries[1]` begins with a name, too.
            Expr::CompoundFieldAccess { root, access_chain } => {
                let mut words = match &**root {
                    Expr::Identifier(word) => vec![word.clone()],
                    Expr::CompoundIdentifier(words) => words.clone(),
                    _ => return ControlFlow::Continue(()),
                };
                let dots = access_chain.iter().map_while(|access| match access {
                    AccessExpr::Dot(Expr::Identifier(word)) => Some(word.clone()),
                    _ => None,
                });
                let before = words.len();
                words.extend(dots);
                if let Some(named) = named(&words, columns) {
                    access_chain.drain(..words.len() - before);
                    **root = named;
                }
            }
            _ => {}
        }
        ControlFlow::<()>::Continue(())
    });
}

/// Returns the name of a column that words end with, behind those of its table.
fn named(words: &[Ident], columns: &HashSet<String>) -> Option<Expr> {
    let begin = (0..words.len()).find(|begin| columns.contains(&joined(words.iter().skip(*begin))))?;
    let (table, name) = words.split_at_checked(begin)?;
    let name = Ident::with_quote('"', joined(name.iter()));
    if table.is_empty() {
        return Some(Expr::Identifier(name));
    }
    Some(Expr::CompoundIdentifier(table.iter().cloned().chain([name]).collect()))
}

fn joined<'w>(words: impl Iterator<Item = &'w Ident>) -> String {
    words.map(|word| word.value.as_str()).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::sql::sqlparser::dialect::GenericDialect;
    use datafusion::sql::sqlparser::parser::Parser;

    fn parsed(sql: &str) -> Statement {
        Parser::parse_sql(&GenericDialect {}, sql).unwrap().remove(0)
    }

    #[test]
    fn words_become_names() {
        let columns = ["http.hostname", "id.orig_h", "AA", "alert.metadata.mitre"].map(str::to_owned).into();
        let cases = [
            ("SELECT http.hostname FROM http", "SELECT \"http.hostname\" FROM http"),
            ("SELECT h.http.hostname FROM http AS h", "SELECT h.\"http.hostname\" FROM http AS h"),
            ("SELECT AA, aa FROM dns", "SELECT \"AA\", aa FROM dns"),
            (
                "SELECT count(*) FROM conn WHERE id.orig_h = '1' GROUP BY id.orig_h ORDER BY conn.id.orig_h",
                "SELECT count(*) FROM conn WHERE \"id.orig_h\" = '1' GROUP BY \"id.orig_h\" ORDER BY conn.\"id.orig_h\"",
            ),
            ("SELECT alert.metadata.mitre FROM alert", "SELECT \"alert.metadata.mitre\" FROM alert"),
            ("SELECT a.b FROM a", "SELECT a.b FROM a"),
            (
                "SELECT d.AA[1]['x'], http.hostname[2] FROM d",
                "SELECT d.\"AA\"[1]['x'], \"http.hostname\"[2] FROM d",
            ),
        ];
        for (sql, expected) in cases {
            let mut statement = parsed(sql);
            join(&mut statement, &columns);
            assert_eq!(statement.to_string(), expected);
        }
    }

    #[test]
    fn tables() {
        let sql = "WITH x AS (SELECT 1 FROM zeek.dns) SELECT * FROM x JOIN Flow ON true, (SELECT 1 FROM \"Odd\") AS y";
        let expected = [(Some("zeek"), "dns"), (None, "x"), (None, "flow"), (None, "Odd")];
        let expected = expected.map(|(schema, table)| (schema.map(str::to_owned), table.to_owned()));
        let mut found = tables_of(&parsed(sql));
        found.sort();
        let mut expected = expected.to_vec();
        expected.sort();
        assert_eq!(found, expected);
    }
}
