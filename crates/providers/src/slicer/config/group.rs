//! A `[nodegroup "name"]`.

use plimsoll_model::{
    Effect, Money, Quantity, Symbol, Taint,
    labels::{check_label_key, check_label_value},
};

use super::{Files, GroupConfig, bounds, keys::Keys};
use crate::{
    document::Checked,
    rest::Endpoint,
    slicer::{ini::Section, template, userdata},
};

const KEYS: &[&str] = &[
    "slicer-url",
    "slicer-token",
    "slicer-token-file",
    "min-size",
    "max-size",
    "arch",
    "userdata-file",
    "price",
    "persistent",
    "adopt",
    "gpu-type",
    "storage-size",
];

/// Keys that may stand as often as wanted.
const LISTS: &[&str] = &["label", "taint", "k3s-arg"];

/// With a dash and a number after it, a name is still the value of a label.
const LONGEST_NAME: usize = 57;

const EFFECTS: [Effect; 3] = [Effect::NoSchedule, Effect::PreferNoSchedule, Effect::NoExecute];

pub(super) fn read(
    section: &Section,
    defaults: (u32, u32),
    files: &mut Files<'_>,
) -> Checked<GroupConfig> {
    let keys = Keys::new(section, KEYS, LISTS)?;
    // A host group's name begins the names of its machines, and is the value of a label of their nodes.
    if check_label_value(&section.name).is_err() {
        let problem = "the name of a host group has letters, digits, -, _ and . only";
        return Err(keys.refuse_at("", problem.to_owned()));
    }
    if section.name.len() > LONGEST_NAME {
        let problem = format!("a name longer than {LONGEST_NAME} leaves no room for numbers");
        return Err(keys.refuse_at("", problem));
    }
    let address = keys.required("slicer-url")?;
    let endpoint =
        Endpoint::parse(address).map_err(|problem| keys.refuse("slicer-url", problem))?;
    let (min, max) = bounds(&keys, ["min-size", "max-size"], defaults)?;
    let arch = keys.text("arch")?.map(|arch| {
        template::architecture(arch).ok_or_else(|| {
            keys.refuse("arch", format!("{arch:?} is neither amd64 (x86_64) nor arm64 (aarch64)"))
        })
    });
    let userdata = keys.text("userdata-file")?.map(|path| {
        files.read_beside(path).map_err(|problem| keys.refuse("userdata-file", problem))
    });
    let labels: Vec<(Box<str>, Box<str>)> = keys.each("label", label)?;
    for (place, (key, _)) in labels.iter().enumerate() {
        if labels.iter().take(place).any(|(earlier, _)| earlier == key) {
            return Err(keys.refuse("label", format!("{key} stands twice")));
        }
    }
    Ok(GroupConfig {
        line: section.line,
        name: section.name.as_str().into(),
        endpoint,
        token: keys.secret("slicer-token", files)?,
        min,
        max,
        arch: arch.transpose()?.map(Into::into),
        labels,
        taints: keys.each("taint", taint)?,
        k3s_arguments: keys.each("k3s-arg", argument)?,
        userdata: userdata.transpose()?.map(Into::into),
        price: price(&keys)?,
        persistent: keys.switch("persistent")?.unwrap_or(true),
        adopt: keys.switch("adopt")?.unwrap_or_default(),
        gpu_type: gpu_type(&keys)?,
        storage: storage(&keys)?,
    })
}

fn gpu_type(keys: &Keys<'_>) -> Checked<Option<Box<str>>> {
    let Some(text) = keys.text("gpu-type")? else { return Ok(None) };
    check_label_value(text).map_err(|error| keys.refuse("gpu-type", error.to_string()))?;
    Ok(Some(text.into()))
}

/// The size of a disk as the host's own file has it, such as `25G`.
fn storage(keys: &Keys<'_>) -> Checked<Option<i64>> {
    let Some(text) = keys.text("storage-size")? else { return Ok(None) };
    let bytes = Quantity::parse(text).and_then(Quantity::value).ok().filter(|bytes| *bytes > 0);
    let shape = || keys.refuse("storage-size", format!("{text:?} is not a size like 25G"));
    bytes.map(Some).ok_or_else(shape)
}

/// `key=value`.
fn label(text: &str) -> Result<(Box<str>, Box<str>), String> {
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    check_label_key(key).map_err(|error| error.to_string())?;
    check_label_value(value).map_err(|error| error.to_string())?;
    if key == userdata::GPU {
        return Err(format!("{key} is set by gpu-type"));
    }
    if userdata::OWN_LABELS.contains(&key) {
        return Err(format!("{key} is set for every node, and says which machine it is"));
    }
    Ok((key.into(), value.into()))
}

/// `key=value:Effect` or `key:Effect`.
fn taint(text: &str) -> Result<Taint, String> {
    let shape = || format!("{text:?} is not written key=value:NoSchedule");
    let (rest, word) = text.rsplit_once(':').ok_or_else(shape)?;
    let (key, value) = rest.split_once('=').unwrap_or((rest, ""));
    check_label_key(key).map_err(|error| error.to_string())?;
    check_label_value(value).map_err(|error| error.to_string())?;
    let effect = EFFECTS.into_iter().find(|effect| effect.as_str() == word).ok_or_else(|| {
        let known = EFFECTS.map(Effect::as_str).join(", ");
        format!("{word:?} is not an effect, known are {known}")
    })?;
    Ok(Taint { key: Symbol::new(key), value: Symbol::new(value), effect })
}

fn argument(text: &str) -> Result<Box<str>, String> {
    if text.chars().any(char::is_control) {
        return Err("has a letter in it that cannot be printed".to_owned());
    }
    if !text.starts_with('-') {
        return Err(format!("{text:?} does not begin with a dash; write --name=value"));
    }
    if ["--token", "-t", "--token-file"].contains(&text.split('=').next().unwrap_or_default()) {
        return Err("the token comes from the secret, and must not stand in userdata".to_owned());
    }
    Ok(text.into())
}

fn price(keys: &Keys<'_>) -> Checked<Option<Money>> {
    let Some(text) = keys.text("price")? else { return Ok(None) };
    let units = text.parse::<f64>().ok().filter(|units| units.is_finite() && *units >= 0.0);
    let price = units.and_then(Money::from_units);
    price.map(Some).ok_or_else(|| keys.refuse("price", format!("{text:?} is not a price per hour")))
}
