use super::{Bed, Behaviour, Target, Value, json, seconds, sleep};

fn condition(status: &Value, kind: &str) -> (String, String) {
    let conditions = status["conditions"].as_array().unwrap();
    let found = conditions.iter().find(|one| one["type"] == kind).unwrap();
    let word = |field: &str| found[field].as_str().unwrap_or_default().to_owned();
    (word("status"), word("reason"))
}

fn pair(status: &str, reason: &str) -> (String, String) {
    (status.to_owned(), reason.to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_pod_is_created_runs_and_is_ready() {
    let bed = Bed::with_node(Behaviour { pull: seconds(5), ..Behaviour::default() }).await;
    bed.pod("p", "n", &json!({}), &json!({}));
    sleep(seconds(1)).await;
    let status = bed.status("p");
    assert_eq!(status["phase"], "Pending");
    assert_eq!(status["startTime"], "2026-01-01T00:00:00Z");
    let container = &status["containerStatuses"][0];
    assert_eq!(container["state"], json!({ "waiting": { "reason": "ContainerCreating" } }));
    assert_eq!(container["ready"], false);
    assert_eq!(condition(&status, "Ready"), pair("False", "ContainersNotReady"));
    assert_eq!(condition(&status, "Initialized"), pair("True", ""));
    sleep(seconds(5)).await;
    let status = bed.status("p");
    assert_eq!(status["phase"], "Running");
    let container = &status["containerStatuses"][0];
    assert_eq!(container["state"], json!({ "running": { "startedAt": "2026-01-01T00:00:05Z" } }));
    assert_eq!((&container["ready"], &container["started"]), (&json!(true), &json!(true)));
    assert_eq!(container["image"], "app:1");
    for kind in ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"] {
        assert_eq!(condition(&status, kind), pair("True", ""), "{kind}");
    }
    let ready = status["conditions"].as_array().unwrap();
    assert!(ready.iter().all(|one| one.get("message").is_none()), "{ready:?}");
    assert!(status["podIP"].as_str().unwrap().starts_with("10."));
    assert_eq!(status["podIPs"][0]["ip"], status["podIP"]);
    assert_eq!(
        status["hostIP"],
        bed.get("nodes", "", "n").unwrap()["status"]["addresses"][0]["address"]
    );
    assert_eq!(status["qosClass"], "BestEffort");
}

#[tokio::test(start_paused = true)]
async fn pods_end_as_their_annotations_and_restart_policy_say() {
    // Policy, exit code, phase afterwards, restarts after 25 seconds of ten-second lives.
    let cases = [
        ("Never", "0", "Succeeded", 0),
        ("Never", "3", "Failed", 0),
        ("OnFailure", "0", "Succeeded", 0),
        ("OnFailure", "1", "Running", 2),
        ("Always", "0", "Running", 2),
    ];
    let bed = Bed::with_node(Behaviour::default()).await;
    for (number, (policy, code, ..)) in cases.iter().enumerate() {
        let annotations = json!({ "plimsoll.dev/run-for": "10s", "plimsoll.dev/exit-code": code });
        bed.pod(&format!("p{number}"), "n", &annotations, &json!({ "restartPolicy": policy }));
    }
    sleep(seconds(5)).await;
    assert_eq!(bed.status("p0")["phase"], "Running");
    sleep(seconds(20)).await;
    for (number, (policy, code, phase, restarts)) in cases.iter().enumerate() {
        let status = bed.status(&format!("p{number}"));
        let container = &status["containerStatuses"][0];
        assert_eq!(status["phase"], *phase, "{policy} {code}");
        assert_eq!(container["restartCount"], *restarts, "{policy} {code}");
        if *phase == "Running" {
            assert_eq!(condition(&status, "Ready"), pair("True", ""));
            continue;
        }
        let ended = &container["state"]["terminated"];
        assert_eq!(ended["exitCode"].to_string(), **code);
        assert_eq!(ended["finishedAt"], "2026-01-01T00:00:10Z");
        let reason = if *code == "0" { "PodCompleted" } else { "PodFailed" };
        assert_eq!(condition(&status, "Ready"), pair("False", reason));
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_pod_goes_after_its_grace_period_or_sooner() {
    let bed = Bed::with_node(Behaviour::default()).await;
    bed.pod("slow", "n", &json!({}), &json!({}));
    bed.pod("quick", "n", &json!({ "plimsoll.dev/terminates-in": "3s" }), &json!({}));
    bed.pod("stubborn", "n", &json!({ "plimsoll.dev/terminates-in": "1h" }), &json!({}));
    bed.pod(
        "done",
        "n",
        &json!({ "plimsoll.dev/run-for": "1s" }),
        &json!({ "restartPolicy": "Never" }),
    );
    sleep(seconds(2)).await;
    for name in ["slow", "quick", "stubborn", "done"] {
        bed.delete("pods", name);
    }
    let there = |name: &str| bed.get("pods", "default", name).is_some();
    assert!(!there("done"), "what has ended goes at once");
    sleep(seconds(2)).await;
    assert!(there("quick") && there("slow") && there("stubborn"));
    assert_eq!(bed.status("quick")["phase"], "Running");
    sleep(seconds(2)).await;
    assert!(!there("quick"));
    assert!(there("slow") && there("stubborn"));
    sleep(seconds(30)).await;
    assert!(!there("slow") && !there("stubborn"));
}

#[tokio::test(start_paused = true)]
async fn a_pod_of_the_same_name_starts_anew() {
    let bed =
        Bed::with_node(Behaviour { termination: Some(seconds(1)), ..Behaviour::default() }).await;
    let brief = json!({ "plimsoll.dev/run-for": "10s" });
    bed.pod("p", "n", &brief, &json!({ "restartPolicy": "Never" }));
    sleep(seconds(2)).await;
    bed.delete("pods", "p");
    sleep(seconds(2)).await;
    assert_eq!(bed.get("pods", "default", "p"), None);
    bed.pod("p", "n", &json!({}), &json!({}));
    sleep(seconds(20)).await;
    assert_eq!(bed.status("p")["phase"], "Running", "the timers of the first are not its own");
}

#[tokio::test(start_paused = true)]
async fn what_others_write_into_the_status_stays() {
    let bed = Bed::with_node(Behaviour { pull: seconds(5), ..Behaviour::default() }).await;
    bed.pod("p", "n", &json!({}), &json!({}));
    sleep(seconds(1)).await;
    let mark = |pod: &mut Value| {
        let conditions = pod["status"]["conditions"].as_array_mut().unwrap();
        conditions.push(json!({ "type": "example.com/mark", "status": "True" }));
    };
    bed.api.modify(&bed.kind("pods"), &Target::status("default", "p"), mark).unwrap();
    sleep(seconds(10)).await;
    assert_eq!(bed.status("p")["phase"], "Running");
    assert_eq!(condition(&bed.status("p"), "example.com/mark"), pair("True", ""));
}

#[tokio::test(start_paused = true)]
async fn init_containers_are_over_and_sidecars_run() {
    let bed = Bed::with_node(Behaviour::default()).await;
    let first = json!([
        { "name": "setup", "image": "setup:1" },
        { "name": "proxy", "image": "proxy:1", "restartPolicy": "Always" },
    ]);
    bed.pod("p", "n", &json!({}), &json!({ "initContainers": first }));
    sleep(seconds(1)).await;
    let status = bed.status("p");
    let of = |number: usize| &status["initContainerStatuses"][number];
    assert_eq!(of(0)["state"]["terminated"]["reason"], "Completed");
    assert!(of(1)["state"]["running"].is_object());
    assert_eq!(status["phase"], "Running");
}
