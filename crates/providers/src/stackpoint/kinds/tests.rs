use super::{KINDS, architecture, known};

fn told(kind: &str) -> Option<(u32, u32)> {
    known(kind).map(|specs| (specs.cpu_millis, specs.memory))
}

#[test]
fn kinds_of_the_services_time_are_known() {
    for (kind, cores, memory) in [
        ("n1-standard-1", 1, 3750),
        ("n1-standard-64", 64, 240_000),
        ("n1-highmem-2", 2, 13_000),
        ("n1-highcpu-16", 16, 14_400),
        ("t2.medium", 2, 4000),
        ("2gb", 2, 2000),
        ("XL", 2, 4000),
        ("Standard_DS2_v2", 2, 7000),
        ("2,INTEL_XEON,4096,50,SSD", 2, 4096),
    ] {
        assert_eq!(told(kind), Some((cores * 1000, memory)), "{kind}");
    }
    assert_eq!(known("p3.8xlarge").map(|specs| specs.gpu), Some(4));
}

#[test]
fn no_kind_is_made_up() {
    for kind in [
        "",
        "x1",
        "n1-standard-",
        "n1-standard-3",
        "n1-standard-128",
        "n1-standard--1",
        "t2",
        "0,INTEL_XEON,4096,50,SSD",
        "2,INTEL_XEON,4,50,SSD",
        "2,4096",
    ] {
        assert_eq!(told(kind), None, "{kind}");
    }
}

#[test]
fn no_kind_stands_twice() {
    let mut names: Vec<&str> = KINDS.iter().map(|(name, ..)| *name).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn the_processor_is_known_by_the_kind() {
    for kind in [
        "a1.large",
        "m6g.large",
        "t4g.small",
        "c7gn.xlarge",
        "g5g.xlarge",
        "is4gen.large",
        "t2a-standard-4",
        "Standard_D2ps_v5",
        "standard_e4pds_v6",
    ] {
        assert_eq!(architecture(kind), "arm64", "{kind}");
    }
    for (kind, ..) in KINDS {
        assert_eq!(architecture(kind), "amd64", "{kind}");
    }
    for kind in ["", "g4dn.xlarge", "m5.large", "u-6tb1.metal", "standard_np10s", "standard_d2s_v5"]
    {
        assert_eq!(architecture(kind), "amd64", "{kind}");
    }
}
