//! Published numbers beside ours, for people and programs.

use super::grid::Grid;
use super::number::counted;
use super::style::Style;
use crate::published::Comparison;
use serde_json::json;

/// A table that has been rebuilt.
pub struct Rebuilt {
    /// Its name on the command line.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// The scenario that rebuilds it.
    pub file: &'static str,
    /// Every number, beside ours.
    pub cells: Vec<Comparison>,
}

/// The heads of the columns, for text and for files.
const HEAD: [&str; 5] = ["variant", "number", "published", "ours", "same"];

impl Rebuilt {
    fn grid(&self) -> Grid {
        let named = self.cells.iter().any(|cell| !cell.row.is_empty());
        let skip = usize::from(!named);
        let row = |cell: &Comparison| {
            let mark = if cell.same { "✓" } else { "✗" };
            let cells = [&cell.row, &cell.column, &cell.published, &cell.ours, mark];
            cells.into_iter().skip(skip).map(str::to_owned).collect()
        };
        let head = HEAD.map(|head| if head == "same" { "" } else { head });
        Grid {
            head: head.into_iter().skip(skip).map(str::to_owned).collect(),
            rows: self.cells.iter().map(row).collect(),
        }
    }

    fn different(&self) -> usize {
        self.cells.iter().filter(|cell| !cell.same).count()
    }
}

/// One table on the terminal.
pub fn text(table: &Rebuilt, style: Style) -> String {
    format!(
        "{}\n{}\n{}\n\n",
        style.bold(&format!("{}: {}", table.id, table.title)),
        style.dim(&format!("from {}; rebuilt by {}", table.source, table.file)),
        table.grid().text(style).trim_end(),
    )
}

/// The last lines: how many numbers agree, and those that do not.
pub fn conclusion(tables: &[Rebuilt], style: Style) -> String {
    let cells: u64 = tables.iter().map(|table| table.cells.len() as u64).sum();
    let different: u64 = tables.iter().map(|table| table.different() as u64).sum();
    let all = counted(cells, "number", "numbers");
    if different == 0 {
        return style.good(&format!("✓ {all}, all as published")) + "\n";
    }
    let mut text =
        style.bad(&format!("✗ {different} of {all} differ from what was published")) + "\n";
    for table in tables {
        for cell in table.cells.iter().filter(|cell| !cell.same) {
            text.push_str(&format!(
                "  {} {} {}: {} published, {} ours\n",
                table.id, cell.row, cell.column, cell.published, cell.ours
            ));
        }
    }
    text
}

/// All tables in Markdown.
pub fn markdown(tables: &[Rebuilt]) -> String {
    let table = |table: &Rebuilt| {
        let source = format!("From {}; rebuilt by `{}`.", table.source, table.file);
        format!("### {}\n\n{source}\n\n{}", table.title, table.grid().markdown())
    };
    tables.iter().map(table).collect::<Vec<_>>().join("\n")
}

/// All numbers, one a row.
pub fn csv(tables: &[Rebuilt]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut rows =
        vec![["table", "variant", "number", "published", "ours", "same"].map(String::from)];
    for table in tables {
        rows.extend(table.cells.iter().map(|cell| {
            let same = cell.same.to_string();
            let [row, column] = [cell.row.clone(), cell.column.clone()];
            [table.id.to_owned(), row, column, cell.published.clone(), cell.ours.clone(), same]
        }));
    }
    for row in rows {
        // Writing to memory cannot fail.
        let _ = writer.write_record(&row);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// All tables for programs.
pub fn json(tables: &[Rebuilt]) -> String {
    let cell = |cell: &Comparison| {
        json!({
            "variant": cell.row,
            "number": cell.column,
            "published": cell.published,
            "ours": cell.ours,
            "same": cell.same,
        })
    };
    let table = |table: &Rebuilt| {
        json!({
            "id": table.id,
            "title": table.title,
            "source": table.source,
            "scenario": table.file,
            "numbers": table.cells.iter().map(cell).collect::<Vec<_>>(),
        })
    };
    format!("{:#}\n", json!(tables.iter().map(table).collect::<Vec<_>>()))
}

/// All numbers as test cases.
pub fn junit(tables: &[Rebuilt]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for table in tables {
        let (tests, failures) = (table.cells.len(), table.different());
        text.push_str(&format!(
            "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\">\n",
            table.id
        ));
        for cell in &table.cells {
            let name = super::junit::escaped(format!("{} {}", cell.row, cell.column).trim());
            text.push_str(&format!("    <testcase classname=\"{}\" name=\"{name}\"", table.id));
            if cell.same {
                text.push_str("/>\n");
            } else {
                text.push_str(&format!(
                    ">\n      <failure message=\"{} published, {} ours\"/>\n    </testcase>\n",
                    cell.published, cell.ours
                ));
            }
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(same: bool) -> Rebuilt {
        let cell = |row: &str| Comparison {
            row: row.to_owned(),
            column: "mean wait".to_owned(),
            published: "1241".to_owned(),
            ours: if same { "1241" } else { "1240" }.to_owned(),
            same,
        };
        Rebuilt {
            id: "table",
            title: "A table",
            source: "a book",
            file: "a.toml",
            cells: vec![cell("full-jitter"), cell("a & b")],
        }
    }

    #[test]
    fn a_person_sees_both_numbers() {
        assert_eq!(
            text(&table(true), Style::PLAIN),
            "table: A table\nfrom a book; rebuilt by a.toml\n\
             variant          number   published   ours\n\
             full-jitter   mean wait        1241   1241   ✓\n\
             a & b         mean wait        1241   1241   ✓\n\n"
        );
    }

    #[test]
    fn what_differs_is_said_last() {
        assert_eq!(conclusion(&[table(true)], Style::PLAIN), "✓ 2 numbers, all as published\n");
        let text = conclusion(&[table(true), table(false)], Style::PLAIN);
        assert!(text.starts_with("✗ 2 of 4 numbers differ from what was published\n"));
        assert!(text.contains("  table full-jitter mean wait: 1241 published, 1240 ours\n"));
    }

    #[test]
    fn programs_get_every_number() {
        let tables = [table(false)];
        assert_eq!(csv(&tables).lines().count(), 3);
        assert!(junit(&tables).contains("name=\"a &amp; b mean wait\""));
        assert!(junit(&tables).contains("failures=\"2\""));
        let json: serde_json::Value = serde_json::from_str(&json(&tables)).expect("it is JSON");
        assert_eq!(json[0]["numbers"][0]["ours"], "1240");
    }
}
