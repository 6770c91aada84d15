//! The few colours of the terminal. Whether they are wanted is decided by
//! whoever prints.

/// How text may be dressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    colored: bool,
}

impl Style {
    /// No colours and no weights: the text as it is.
    pub const PLAIN: Self = Self { colored: false };
    /// With escape codes of ANSI terminals.
    pub const COLORED: Self = Self { colored: true };

    /// Titles and heads.
    pub fn bold(self, text: &str) -> String {
        self.dressed("1", text)
    }

    /// What matters less.
    pub fn dim(self, text: &str) -> String {
        self.dressed("2", text)
    }

    /// What is well.
    pub fn good(self, text: &str) -> String {
        self.dressed("32", text)
    }

    /// What is not.
    pub fn bad(self, text: &str) -> String {
        self.dressed("1;31", text)
    }

    fn dressed(self, code: &str, text: &str) -> String {
        if self.colored { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
