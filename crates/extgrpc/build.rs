//! Compiles the protocols, without any tool from outside.

use std::{env, error::Error, fs, path::PathBuf};

use protox::prost::Message as _;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    println!("cargo::rerun-if-changed=tests/proto");
    let out = PathBuf::from(env::var("OUT_DIR")?);

    let protocols = protox::compile(["externalgrpc.proto", "expander.proto"], ["proto"])?;
    // Asked for by the reflection service.
    fs::write(out.join("descriptors.bin"), protocols.encode_to_vec())?;
    tonic_prost_build::configure()
        // The same message is the same bytes.
        .btree_map(".")
        .disable_comments(["."])
        .include_file("protocols.rs")
        .compile_fds(protocols)?;

    // The server's side once more, with replies that are encoded beforehand where they are large and the same for everybody.
    let package = ".clusterautoscaler.cloudprovider.v1.externalgrpc";
    let prepared =
        |message: &str| (format!("{package}.{message}"), "crate::server::prepared::Prepared");
    let server = protox::compile(["externalgrpc.proto"], ["proto"])?;
    let mut configuration = tonic_prost_build::configure()
        .build_client(false)
        .disable_comments(["."])
        .out_dir(out.join("server"))
        .extern_path(".k8s", "crate::proto::k8s")
        .extern_path(package, "crate::proto::external");
    for message in
        ["NodeGroupsResponse", "NodeGroupNodesResponse", "NodeGroupTemplateNodeInfoResponse"]
    {
        let (message, prepared) = prepared(message);
        configuration = configuration.extern_path(message, prepared);
    }
    fs::create_dir_all(out.join("server"))?;
    configuration.compile_fds(server)?;

    // What clients of some versions speak, for the tests: messages only.
    let versions = ["v1_27.proto", "v1_30.proto", "v1_32.proto", "v1_35.proto", "head.proto"];
    let frozen = protox::compile(versions, ["tests/proto"])?;
    tonic_prost_build::configure()
        .btree_map(".")
        .build_client(false)
        .build_server(false)
        .disable_comments(["."])
        .include_file("frozen.rs")
        .compile_fds(frozen)?;
    Ok(())
}
