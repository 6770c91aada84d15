//! A small table as text: columns aligned for a terminal, or in Markdown. What
//! stands in the cells is decided elsewhere.

use unicode_width::UnicodeWidthStr;

use super::style::Style;

/// A table: the first column holds names, the others numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The rows, as many cells as there are heads.
    pub rows: Vec<Vec<String>>,
}

/// Spaces between two columns.
const GAP: usize = 3;

impl Grid {
    /// The table for a terminal: names to the left, numbers to the right, each
    /// line ended.
    pub fn text(&self, style: Style) -> String {
        let widths = self.widths();
        let mut text = style.bold(&line(&self.head, &widths));
        text.push('\n');
        for row in &self.rows {
            text.push_str(&line(row, &widths));
            text.push('\n');
        }
        text
    }

    /// The table in Markdown, each line ended.
    pub fn markdown(&self) -> String {
        let mut text = markdown_line(&self.head);
        for (column, _) in self.head.iter().enumerate() {
            text.push_str(if column == 0 { "|:--" } else { "|--:" });
        }
        text.push_str("|\n");
        for row in &self.rows {
            text.push_str(&markdown_line(row));
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![0; self.head.len()];
        for row in std::iter::once(&self.head).chain(&self.rows) {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        widths
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        if column == 0 {
            line.push_str(&left(cell, width));
        } else {
            line.push_str(&right(cell, width + GAP));
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// The text with spaces behind it up to `width` columns of a terminal.
pub fn left(text: &str, width: usize) -> String {
    format!("{text}{}", spaces(text, width))
}

/// The text with spaces before it up to `width` columns of a terminal.
pub fn right(text: &str, width: usize) -> String {
    format!("{}{text}", spaces(text, width))
}

fn spaces(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.width()))
}

fn markdown_line(cells: &[String]) -> String {
    let mut line = String::new();
    for cell in cells {
        line.push_str("| ");
        line.push_str(&markdown(cell));
        line.push(' ');
    }
    line.push_str("|\n");
    line
}

/// The text with what Markdown would read as markup escaped.
pub fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&')
        {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(names: [&str; 2]) -> Grid {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        Grid { head: row(["variant", "mean wait"]), rows: names.map(|n| row([n, "5 ms"])).to_vec() }
    }

    #[test]
    fn columns_align_in_display_columns() {
        let text = grid(["no jitter at all", "再試行"]).text(Style::PLAIN);
        assert_eq!(
            text,
            "variant            mean wait\n\
             no jitter at all        5 ms\n\
             再試行                  5 ms\n"
        );
    }

    #[test]
    fn markdown_cannot_be_broken_by_a_name() {
        assert_eq!(
            grid(["a|b", "*"]).markdown(),
            "| variant | mean wait |\n|:--|--:|\n| a\\|b | 5 ms |\n| \\* | 5 ms |\n"
        );
    }
}
