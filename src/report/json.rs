//! A run as JSON: the record that lies in its folder, and the document for
//! programs that read standard output.

use serde_json::{Map, Value, json};

use super::number::Measure;
use super::run::Run;
use crate::experiment::Verdict;
use crate::model::metric::METRICS;

/// run.json: all that is needed to repeat the run, how its thresholds came
/// out, and the files of its folder, which is how a later run knows that it
/// may replace it. It holds no clock time, host, path or number of threads.
pub fn record(run: &Run, files: &[String]) -> String {
    pretty(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "seed": run.scenario.seed,
        "scenario": run.scenario.resolved,
        "thresholds": thresholds(run),
        "files": files,
    }))
}

/// The document for standard output: every number of summary.csv, how the
/// thresholds came out, and where the files are.
pub fn document(run: &Run, file: &str, folder: &str, files: &[String]) -> String {
    pretty(&json!({
        "name": run.scenario.name,
        "scenario": file,
        "version": env!("CARGO_PKG_VERSION"),
        "seed": run.scenario.seed,
        "passed": run.passed(),
        "variants": run.results.iter().map(|result| {
            let mut variant = Map::new();
            variant.insert("variant".to_owned(), json!(result.name));
            for metric in METRICS {
                variant.insert(metric.column(), Measure((metric.of)(&result.outcome)).json());
            }
            Value::Object(variant)
        }).collect::<Vec<_>>(),
        "thresholds": thresholds(run),
        "folder": folder,
        "files": files,
    }))
}

fn thresholds(run: &Run) -> Vec<Value> {
    run.verdicts.iter().map(threshold).collect()
}

fn threshold(verdict: &Verdict) -> Value {
    let bound = verdict.threshold.bound;
    json!({
        "metric": verdict.threshold.metric.column(),
        "variant": verdict.variant,
        "min": Measure(bound.min).json(),
        "max": Measure(bound.max).json(),
        "value": Measure(verdict.value).json(),
        "passed": verdict.passed,
    })
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_record_repeats_the_run_and_lists_its_files() {
        let files = ["run.json".to_owned(), "summary.csv".to_owned()];
        let record = record(&sample::storm().run(), &files);
        let record: Value = serde_json::from_str(&record).unwrap();
        assert_eq!(record["seed"], 2026);
        assert_eq!(record["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(record["scenario"]["seed"], 2026);
        assert_eq!(record["files"], json!(["run.json", "summary.csv"]));
        assert_eq!(
            record["thresholds"][0],
            json!({
                "metric": "busiest_slice_retries", "variant": "full-jitter",
                "min": null, "max": 1700, "value": 1461, "passed": true,
            })
        );
    }

    #[test]
    fn the_document_has_every_number_of_the_summary() {
        let document = document(&sample::storm().run(), "storm.toml", "output/storm", &[]);
        let document: Value = serde_json::from_str(&document).unwrap();
        let variant = &document["variants"][2];
        assert_eq!(variant["variant"], "full-jitter");
        assert_eq!(variant["mean_wait_ms"], 1241.3);
        assert_eq!(variant["recovery_ms"], Value::Null);
        assert_eq!(variant.as_object().unwrap().len(), METRICS.len() + 1);
        assert_eq!(document["passed"], true);
    }
}
