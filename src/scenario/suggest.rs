//! The nearest right word for a wrong one.

/// Longer words are not compared: nobody types them by mistake.
const LONGEST: usize = 64;

/// The candidate that is the fewest slips of the keyboard away from `word`
/// (a letter too many, missing, wrong, or two swapped), if it is near enough
/// to be what was meant: a third of its letters may be wrong.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = word.chars().take(LONGEST + 1).collect();
    if letters.len() > LONGEST {
        return None;
    }
    let normal = normalised(&letters);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let other: Vec<char> = candidate.chars().take(LONGEST + 1).collect();
        let shorter = letters.len().min(other.len());
        let most = letters.len().max(other.len()).div_ceil(3).min(shorter.saturating_sub(1));
        let most = best.map_or(most, |(distance, _)| most.min(distance - 1));
        if letters.len().abs_diff(other.len()) > most {
            continue;
        }
        let distance = distance(&normal, &normalised(&other));
        if distance <= most {
            best = Some((distance, candidate));
            if distance == 0 {
                break;
            }
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Case and the kind of dash are no difference.
fn normalised(letters: &[char]) -> Vec<char> {
    let normal = |&letter: &char| if letter == '-' { '_' } else { letter.to_ascii_lowercase() };
    letters.iter().map(normal).collect()
}

/// The distance of Damerau and Levenshtein with adjacent swaps.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(x != y);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let words = ["jitter", "base", "cap", "max_attempts", "full-jitter", "equal-jitter"];
        for (typed, meant) in [
            ("jiter", Some("jitter")),
            ("bsae", Some("base")),
            ("max-attempts", Some("max_attempts")),
            ("full_jitter", Some("full-jitter")),
            ("Cap", Some("cap")),
            ("zzz", None),
            ("y", None),
            ("", None),
            ("max_attemts_of_this_policy", None),
        ] {
            assert_eq!(nearest(typed, words), meant, "{typed}");
        }
    }

    #[test]
    fn a_swap_is_one_slip() {
        let letters = |word: &str| word.chars().collect::<Vec<_>>();
        assert_eq!(distance(&letters("bsae"), &letters("base")), 1);
        assert_eq!(distance(&letters("kitten"), &letters("sitting")), 3);
    }
}
