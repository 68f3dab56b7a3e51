//! Formats of texts. Those that nobody knows are no constraint.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{rules::names, schema::is_date_time};

/// The format as messages show it; schemas keep it without dashes.
pub(crate) fn name(format: &str) -> &str {
    match format {
        "datetime" => "date-time",
        "k8sshortname" => "k8s-short-name",
        "k8slongname" => "k8s-long-name",
        other => other,
    }
}

/// Whether a text has a format.
pub(crate) fn matches(format: &str, text: &str) -> bool {
    match format {
        "datetime" => is_date_time(text),
        "date" => text.parse::<jiff::civil::Date>().is_ok() && text.len() == 10,
        "duration" => is_duration(text),
        "uri" => is_uri(text),
        "email" => text.split_once('@').is_some_and(|(user, host)| {
            !user.is_empty() && !host.is_empty() && !text.contains(char::is_whitespace)
        }),
        "hostname" => is_hostname(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "cidr" => is_cidr(text),
        "mac" => is_mac(text),
        "uuid" | "uuid3" | "uuid4" | "uuid5" => is_uuid(format, text),
        "byte" => STANDARD.decode(text.replace(['\r', '\n'], "")).is_ok(),
        "k8sshortname" => names::label(text).is_empty(),
        "k8slongname" => names::subdomain(text).is_empty(),
        _ => true,
    }
}

/// Numbers with units of time, such as `1h30m` or `2 days`.
fn is_duration(text: &str) -> bool {
    const UNITS: [&str; 24] = [
        "ns",
        "us",
        "µs",
        "ms",
        "s",
        "m",
        "h",
        "d",
        "w",
        "nanosecond",
        "nanoseconds",
        "microsecond",
        "microseconds",
        "millisecond",
        "milliseconds",
        "second",
        "seconds",
        "minute",
        "minutes",
        "hour",
        "hours",
        "day",
        "days",
        "weeks",
    ];
    let mut rest = text.trim_start_matches(['+', '-']);
    if rest == "0" {
        return true;
    }
    let mut parts = 0;
    while !rest.is_empty() {
        let unit_at = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (amount, after) = rest.split_at(unit_at);
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let (unit, following) = after.split_at(end);
        if amount.parse::<f64>().is_err() || !UNITS.contains(&unit) {
            return false;
        }
        parts += 1;
        rest = following.trim_start();
    }
    parts > 0
}

/// A path, or something with a scheme.
fn is_uri(text: &str) -> bool {
    if text.starts_with('/') {
        return true;
    }
    text.split_once(':').is_some_and(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
            && !text.contains(char::is_whitespace)
    })
}

fn is_hostname(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 255
        && text.trim_end_matches('.').split('.').all(|label| {
            !label.is_empty()
                && label.len() <= 63
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
        })
}

fn is_cidr(text: &str) -> bool {
    text.split_once('/').is_some_and(|(address, length)| {
        let most = match address.parse::<IpAddr>() {
            Ok(IpAddr::V4(_)) => 32,
            Ok(IpAddr::V6(_)) => 128,
            Err(_) => return false,
        };
        length.parse::<u8>().is_ok_and(|length| length <= most)
    })
}

/// Six, eight or twenty pairs of digits.
fn is_mac(text: &str) -> bool {
    let pairs: Vec<&str> = text.split([':', '-']).collect();
    matches!(pairs.len(), 6 | 8 | 20)
        && pairs.iter().all(|pair| pair.len() == 2 && u8::from_str_radix(pair, 16).is_ok())
}

fn is_uuid(format: &str, text: &str) -> bool {
    let digits: String = text.chars().filter(|&c| c != '-').collect();
    let version = digits.chars().nth(12);
    let wanted = format.strip_prefix("uuid").and_then(|version| version.chars().next());
    digits.len() == 32
        && digits.chars().all(|c| c.is_ascii_hexdigit())
        && (wanted.is_none() || version == wanted)
}
