//! Compiles what stands before DPDK's functions, where DPDK is asked for.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "dpdk")]
    dpdk();
}

#[cfg(feature = "dpdk")]
fn dpdk() {
    const SHIM: &str = "src/sources/dpdk/shim.c";
    for file in [SHIM, "src/sources/dpdk/shim.h"] {
        println!("cargo:rerun-if-changed={file}");
    }
    // The shim comes before the libraries that it needs.
    let library = match pkg_config::Config::new()
        .atleast_version("22.11")
        .cargo_metadata(false)
        .probe("libdpdk")
    {
        Ok(library) => library,
        Err(error) => {
            println!(
                "cargo:warning=DPDK 22.11 or later is asked for and not found: install libdpdk-dev (Debian) or dpdk-devel (Fedora). {error}"
            );
            std::process::exit(1);
        }
    };
    let mut build = cc::Build::new();
    build.file(SHIM).includes(&library.include_paths).flag("-include").flag("rte_config.h");
    if cfg!(target_arch = "x86_64") {
        build.flag("-march=corei7");
    }
    build.compile("weir_dpdk_shim");
    for path in &library.link_paths {
        println!("cargo:rustc-link-search=native={}", path.display());
    }
    for name in ["rte_ethdev", "rte_mbuf", "rte_mempool", "rte_eal"] {
        println!("cargo:rustc-link-lib={name}");
    }
}
