//! The program from outside: what it is given, what it does, prints and writes,
//! and the exit code that says how it went.

mod exit;
mod folder;
mod forms;
mod input;
mod shipped;
