//! Retries in more than one layer of a chain, which multiply.

use super::build::{Notes, Places};
use super::fates::Fates;
use super::keys::grouped;
use super::report::{Problem, Report};
use super::text::Span;
use crate::model::Model;
use crate::model::spec::Client;

/// More attempts than this for one request at a service that always fails
/// would never come to an end.
const MOST_PRODUCT: u64 = 1_000_000_000;

/// What the variants of a scenario have of chains in which more than one layer
/// retries.
#[derive(Clone, Debug, Default)]
pub(super) struct Layers {
    /// The one in which retries multiply most.
    worst: Option<Chain>,
    /// Whether a variant has none: then the scenario shows a way out already.
    mended: bool,
}

/// A chain of calls in which more than one layer retries.
#[derive(Clone, Debug)]
struct Chain {
    /// The most attempts that one request can make at the end of the chain.
    product: u64,
    /// How many of its layers retry.
    retrying: usize,
    /// The service at its end.
    service: String,
    span: Span,
}

/// Stands for attempts without limit in products.
const UNLIMITED: u64 = u64::MAX;

/// A product in which only a factor without limit gives one without limit.
fn times(a: u64, b: u64) -> u64 {
    match (a, b) {
        (0, _) | (_, 0) => 0,
        (UNLIMITED, _) | (_, UNLIMITED) => UNLIMITED,
        _ => a.saturating_mul(b).min(UNLIMITED - 1),
    }
}

/// The most attempts that one request can make at each service.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    /// By how many layers retry: none, one, more.
    product: [u64; 3],
    /// How many retry on the way of the last product.
    retrying: usize,
}

impl Worst {
    /// Takes over a way through an edge with so many attempts.
    fn extend(&mut self, from: Self, attempts: u64) {
        for layer in 0..3 {
            let product = times(from.product[layer], attempts);
            let into = if attempts > 1 { (layer + 1).min(2) } else { layer };
            let before = if layer == 2 { from.retrying } else { layer };
            let retrying = before + usize::from(attempts > 1);
            // Products that no longer fit are told apart by their layers.
            let deeper = into == 2 && product == self.product[2] && retrying > self.retrying;
            if product > self.product[into] || (deeper && product > 0) {
                self.product[into] = product;
                if into == 2 {
                    self.retrying = retrying;
                }
            }
        }
    }
}

/// Retries in more than one layer multiply: takes note, or refuses what cannot
/// end. A layer whose retries a budget pays for does not multiply: it adds a
/// share of its calls.
pub(super) fn check(
    model: &Model,
    places: &Places,
    order: &[usize],
    fates: &Fates<'_>,
    report: &mut Report,
    notes: &mut Notes,
) {
    let mut worst = vec![Worst::default(); model.services.len()];
    let attempts = |edge: usize| {
        if !places.sound.edges[edge] || model.edges[edge].budget.is_some() {
            return 1;
        }
        model.edges[edge].retry.max_attempts.map_or(UNLIMITED, u64::from)
    };
    let entry = Worst { product: [1, 0, 0], retrying: 0 };
    for edge in model.clients.iter().flat_map(Client::calls) {
        worst[model.edges[edge].target].extend(entry, attempts(edge));
    }
    for &number in order.iter().rev() {
        let from = worst[number];
        for &edge in &model.services[number].calls {
            worst[model.edges[edge].target].extend(from, attempts(edge));
        }
    }
    let mut own: Option<Chain> = None;
    for (number, worst) in worst.iter().enumerate() {
        let product = worst.product[2];
        let service = model.services[number].name.clone();
        let span = places.services[number];
        let unbounded = model.duration.is_none() && model.budgets.is_empty();
        if fates.is_dead(number) && unbounded && product > MOST_PRODUCT && product < UNLIMITED {
            let shown = shown(product);
            let title =
                format!("one request makes {shown} attempts at `{service}`, which always fails");
            let problem = Problem::new(title, "retries multiply on the way to it")
                .help("at most 1_000_000_000: lower `max_attempts`, or retry in one layer only");
            report.error(span, problem);
            continue;
        }
        let retrying = worst.retrying;
        if (product, retrying) > strength(own.as_ref()) {
            own = Some(Chain { product, retrying, service, span });
        }
    }
    notes.layers.mended |= own.is_none();
    if strength(own.as_ref()) > strength(notes.layers.worst.as_ref()) {
        notes.layers.worst = own;
    }
}

/// How much retries multiply in a chain.
fn strength(chain: Option<&Chain>) -> (u64, usize) {
    chain.map_or((1, 0), |chain| (chain.product, chain.retrying))
}

/// A product in words.
fn shown(product: u64) -> String {
    match product {
        UNLIMITED => "any number of".to_owned(),
        product if product == UNLIMITED - 1 => "more than 10^19".to_owned(),
        product => format!("up to {}", grouped(product)),
    }
}

impl Layers {
    /// Warns of the worst chain, unless a variant is without any.
    pub(super) fn warn(&self, report: &mut Report) {
        let Some(Chain { product, retrying, service, span }) =
            self.worst.as_ref().filter(|_| !self.mended)
        else {
            return;
        };
        let product = shown(*product);
        let title = format!(
            "retries in {retrying} layers multiply: {product} attempts at `{service}` for one request"
        );
        let problem = Problem::new(title, "the end of the chain")
            .help("let one layer retry, the one next to what fails, or give each a budget");
        report.warning(*span, problem);
    }
}
