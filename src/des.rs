//! Discrete-event machinery. It knows no word of the domain.
