# The few words everyone needs. `make` alone lists them.

# A folder beside this one with verification cases, rules and traffic, where there is one.
SHARED ?= ../shared
# Minutes for each fuzz target, and which ones; all where none is named.
MINUTES ?= 2
TARGETS ?=
# What `make bench` reads.
CAPTURE ?= $(firstword $(wildcard $(SHARED)/traffic/traffic.pcap) sample/sample.pcap)
RULES ?= $(if $(wildcard $(SHARED)/rules/et-open),$(SHARED)/rules/et-open/*.rules,sample/sample.rules)
# What the rows of `make bench` may take of that capture, in units of gzip.
LIMITS ?= $(if $(filter $(SHARED)/traffic/traffic.pcap,$(CAPTURE)),flows=0.05 eve=0.11 zeek=0.20 rules=0.23)
# Another build to measure beside this one.
VS ?=
# The processors that `make release` builds for, in words of rustc; any where none is named.
CPU ?=
# Parts of the program that are not in it otherwise: parquet, kafka, dpdk.
FEATURES ?=
# Where `make install` puts things, and a folder to put before that (packagers).
PREFIX ?= /usr/local
DESTDIR ?=
# Where the system looks for units of systemd, and for what logrotate is to do.
UNITDIR ?= $(PREFIX)/lib/systemd/system
USERSDIR ?= $(PREFIX)/lib/sysusers.d
SYSCONFDIR ?= $(if $(filter /usr /usr/local,$(PREFIX)),/etc,$(PREFIX)/etc)
# Where the shells look for completions.
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
# `no` leaves out what makes `make release` long: running it to learn which way its branches go.
PROFILE ?=

TARGET := $(or $(CARGO_TARGET_DIR),target)
# `scripts/setup.sh` makes the link `rust` where the first Rust of the rest is too old and another one is not.
export PATH := $(abspath $(TARGET))/rust:$(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)
# Any shell will do. That it is named makes GNU make 3.81, which macOS has, look for programs in the PATH above.
SHELL := sh
.DEFAULT_GOAL := help
# Folders of damaged captures that `make mutations` reads, and times that `make properties` takes all inputs.
FOLDERS ?= 2000
TIMES ?= 20
.PHONY: help demo test build analyst python install uninstall conformance mutations live rates inline dpdk kafka parquet pipelines soak properties bench bench-matrix floods fuzz release deb deb-test static dist suricata-update docs clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## install what is missing, build, analyse the sample capture
	@rm -rf out/demo && mkdir -p out/demo
	$(TARGET)/release/weir -r sample/sample.pcap -S sample/sample.rules -l out/demo --zeek-logs

build: ## install what is missing, build target/release/weir: FEATURES=parquet
	@scripts/setup.sh build
	cargo build --release -p weir $(FEATURES:%=--features %)

analyst: ## build target/release/weir-analyst, which `weir query` and `weir hunt` run
	@scripts/setup.sh analyst
	cargo build --release --manifest-path analyst/Cargo.toml --target-dir $(TARGET)/analyst
	@mkdir -p $(TARGET)/release && cp $(TARGET)/analyst/release/weir-analyst $(TARGET)/release/

python: ## build the Python package and test it, Ray included; the wheel is in target/python/wheels
	@scripts/python.sh

# What is newer of `make build` and `make release`; nothing is built here, where one may be root.
install: BUILT = $(firstword $(shell ls -t $(TARGET)/profiled/weir $(TARGET)/release/weir 2>/dev/null))
# The program that writes manual pages and completions, where what was built does not run on this machine.
install: SPEAKER = $(DESTDIR)$(PREFIX)/bin/weir
install: ## install what was built, its settings, its guide, manual pages, units of systemd: PREFIX=/usr/local DESTDIR=
	@[ -n '$(BUILT)' ] || { echo "install: nothing is built yet; please run 'make build' first"; exit 1; }
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/weir' '$(DESTDIR)$(PREFIX)/share/doc/weir'
	install -m 755 '$(BUILT)' '$(DESTDIR)$(PREFIX)/bin/weir'
	[ ! -x $(TARGET)/release/weir-analyst ] || install -m 755 $(TARGET)/release/weir-analyst '$(DESTDIR)$(PREFIX)/bin/'
	install -m 644 $(wildcard etc/*.*) '$(DESTDIR)$(PREFIX)/share/weir'
	install -m 644 README.md CHANGELOG.md LICENSE-* docs/* '$(DESTDIR)$(PREFIX)/share/doc/weir'
	install -d '$(DESTDIR)$(UNITDIR)' '$(DESTDIR)$(USERSDIR)' '$(DESTDIR)$(SYSCONFDIR)/logrotate.d'
	for unit in weir.service weir@.service weir-update.service weir-update.timer; do \
		sed 's|@bindir@|$(PREFIX)/bin|' "etc/systemd/$$unit" >"$(DESTDIR)$(UNITDIR)/$$unit" || exit 1; \
		chmod 644 "$(DESTDIR)$(UNITDIR)/$$unit"; \
	done
	install -m 644 etc/systemd/weir.sysusers '$(DESTDIR)$(USERSDIR)/weir.conf'
	install -m 644 etc/logrotate/weir '$(DESTDIR)$(SYSCONFDIR)/logrotate.d/weir'
	install -d '$(DESTDIR)$(PREFIX)/share/man/man1' '$(DESTDIR)$(BASHDIR)' '$(DESTDIR)$(ZSHDIR)' '$(DESTDIR)$(FISHDIR)'
	'$(SPEAKER)' man '$(DESTDIR)$(PREFIX)/share/man/man1'
	'$(SPEAKER)' completions bash >'$(DESTDIR)$(BASHDIR)/weir'
	'$(SPEAKER)' completions zsh >'$(DESTDIR)$(ZSHDIR)/_weir'
	'$(SPEAKER)' completions fish >'$(DESTDIR)$(FISHDIR)/weir.fish'

uninstall: ## remove what `make install` put there
	rm -f '$(DESTDIR)$(PREFIX)/bin/weir' '$(DESTDIR)$(PREFIX)/bin/weir-analyst'
	rm -f '$(DESTDIR)$(UNITDIR)/weir.service' '$(DESTDIR)$(UNITDIR)/weir@.service' '$(DESTDIR)$(USERSDIR)/weir.conf'
	rm -f '$(DESTDIR)$(UNITDIR)/weir-update.service' '$(DESTDIR)$(UNITDIR)/weir-update.timer'
	rm -f '$(DESTDIR)$(PREFIX)/share/man/man1/weir.1' '$(DESTDIR)$(PREFIX)'/share/man/man1/weir-*.1
	rm -f '$(DESTDIR)$(BASHDIR)/weir' '$(DESTDIR)$(ZSHDIR)/_weir' '$(DESTDIR)$(FISHDIR)/weir.fish'
	rm -f '$(DESTDIR)$(SYSCONFDIR)/logrotate.d/weir'
	rm -rf '$(DESTDIR)$(PREFIX)/share/weir' '$(DESTDIR)$(PREFIX)/share/doc/weir'

# Clippy in the compiler's place while tests are built: nothing is compiled twice, once to be checked and once to be run.
LINTED := RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__

# One build profile for all of it: the tests' own, whose checks for overflow are worth having in the
# verification cases too.
test: ## install what is missing, run every test
	@scripts/setup.sh test
	cargo fmt --all --check
	cargo fmt --manifest-path fuzz/Cargo.toml --check
	cargo fmt --manifest-path analyst/Cargo.toml --all --check
	$(LINTED) cargo test --workspace
	cargo clippy --manifest-path fuzz/Cargo.toml --target-dir $(TARGET)/fuzz -- -D warnings
	$(LINTED) cargo test --manifest-path analyst/Cargo.toml --target-dir $(TARGET)/analyst --workspace
	@scripts/deny.sh
	@scripts/cases.sh $(SHARED) $(TARGET)/debug/weir
	@scripts/accounts.sh $(SHARED) $(TARGET)/debug/weir
	@echo "test: all passed"

conformance: build ## run all verification cases; UPDATE=1 writes the list of those that pass
	@scripts/setup.sh cases
	$(SHARED)/conformance/run --binary $(TARGET)/release/weir \
		$(if $(UPDATE),--write-passing,--require) conformance/passing.txt
	$(SHARED)/zeek/compare --binary $(TARGET)/release/weir
	@echo "zeek: of these the captures that need built protocols only"
	@scripts/zeek_built.py $(SHARED) $(TARGET)/release/weir

mutations: build ## folders of damaged captures with 1, 2, 4, 8 workers and without Zeek's logs: FOLDERS=2000
	scripts/determinism.py $(TARGET)/release/weir $(wildcard $(addprefix $(SHARED)/,conformance zeek eve traffic)) \
		--folders $(FOLDERS) --random --rules sample/sample.rules

packages: build ## published packages of Zeek scripts: what loads, runs and writes its baselines: WORDS=hassh
	scripts/packages.py $(TARGET)/release/weir $(SHARED) $(WORDS)

live: build ## captures sent over a cable between two networks: the same records live and from a file; CAPTURES=300 THREADS=2
	scripts/live.py $(TARGET)/release/weir $(wildcard $(addprefix $(SHARED)/,conformance zeek eve)) \
		--threads $(or $(THREADS),2) --captures $(or $(CAPTURES),300) $(RULES:%=--rules '%')

rates: build ## packets at a rate over a cable: loss, memory, and what one costs live and from a file: RULES='*.rules'
	scripts/rates.py $(TARGET)/release/weir $(RULES:%=--rules '%')
	scripts/rates.py $(TARGET)/release/weir --size 1514 --rate 300000 $(RULES:%=--rules '%')
	scripts/rates.py $(TARGET)/release/weir --seconds 20 --reload 3 $(RULES:%=--rules '%')

inline: build ## real clients and servers with Weir between them: FOR=10 minutes, RULES='*.rules'
	scripts/inline.py $(TARGET)/release/weir --minutes $(or $(FOR),10) $(RULES:%=--rules '%')

dpdk: ## build target/release/weir with DPDK, whose headers must be there (libdpdk-dev), and test it
	@scripts/setup.sh build
	cargo test -p weir --features dpdk --test program dpdk
	cargo build --release -p weir --features dpdk

kafka: ## build target/release/weir with Kafka, whose library must be there (librdkafka-dev), and test it
	@scripts/setup.sh build
	cargo test -p weir-output --features kafka --test pipelines
	cargo build --release -p weir --features kafka

parquet: ## build target/release/weir with output as Apache Parquet, and test it
	@scripts/setup.sh build
	cargo test -p weir --features parquet --test program parquet
	@$(MAKE) --no-print-directory build FEATURES=parquet

pipelines: ## records to Redis, Kafka and bulk requests while these are killed, and at 50,000 a second: RECORDS=500000
	@scripts/setup.sh test
	scripts/pipelines.sh $(RECORDS)

soak: build ## hours of traffic, reloads, rotation and lost links: FOR=120 minutes, CAPTURE=file RULES='*.rules'
	scripts/soak.py $(TARGET)/release/weir '$(CAPTURE)' --minutes $(or $(FOR),120) $(RULES:%=--rules '%')

# All tests of the crates, for many draw their inputs, and those of whole runs that do.
properties: ## properties of parsers with inputs of new seeds: TIMES=20
	@scripts/setup.sh build
	@for time in $$(seq $(TIMES)); do \
		export PROPTEST_RNG_SEED=$$(od -An -N4 -tu4 /dev/urandom | tr -d " "); echo "properties: seed $$PROPTEST_RNG_SEED"; \
		cargo test --quiet --workspace --lib --test segmentation --test reading --test backends || exit 1; \
	done

bench: release ## what a run takes: CAPTURE=file RULES='*.rules' VS=binary; UPDATE=1 writes the guide's table
	$(TARGET)/profiled/weir bench '$(CAPTURE)' $(RULES:%=-S '%') $(VS:%=--vs '%') $(LIMITS:%=--limit %) \
		--json $(TARGET)/bench.jsonl $(if $(UPDATE),--format markdown | scripts/figures.sh bench)

bench-matrix: ## compare memory allocators and ways to build; UPDATE=1 writes the guide's tables
	@scripts/setup.sh build
	scripts/matrix.sh allocators '$(CAPTURE)' '$(RULES)' $(if $(UPDATE),| scripts/figures.sh allocators)
	scripts/matrix.sh profiled '$(CAPTURE)' '$(RULES)' $(if $(UPDATE),| scripts/figures.sh profiled)
	scripts/matrix.sh builds '$(CAPTURE)' '$(RULES)' $(if $(UPDATE),| scripts/figures.sh builds)

floods: release ## rate and memory under floods, and cost of each attack: CAPTURE=file RULES='*.rules'
	cargo build --profile plain -p weir-testkit --example attack
	@scripts/floods.sh $(TARGET)/profiled/weir $(TARGET)/plain/examples/attack '$(CAPTURE)' '$(RULES)'
	@scripts/attacks.py $(TARGET)/profiled/weir $(TARGET)/plain/examples/attack --ordinary '$(CAPTURE)' --runs bare,full,inline
	@scripts/clients.py $(TARGET)/profiled/weir

fuzz: ## fuzz each target: MINUTES=2 TARGETS='dns tls'
	@scripts/setup.sh fuzz
	scripts/fuzz.sh $(MINUTES) $(TARGETS)

release: ## build target/profiled/weir as it is shipped, in three steps; CPU=native for this machine only
	@scripts/setup.sh build
	@CPU='$(CPU)' PROFILE='$(PROFILE)' scripts/release.sh $(TARGET)/profiled/weir

deb: ## a Debian package of what was built, in out/deb; BUILT=program
	@BUILT='$(BUILT)' scripts/package.sh out/deb

deb-test: deb ## install that package on bare Debian systems: ON='12 13'
	@scripts/installed.sh "$$(ls -t out/deb/*.deb | head -n 1)" $(or $(ON),12)

static: ## build out/static/weir, which needs no library of the system; PROFILE=plain is quicker to build
	@scripts/setup.sh build
	PROFILE='$(PROFILE)' scripts/static.sh out/static/weir

dist: ## all that is published, in out/dist: packages, programs, what they are made of, checksums
	@BUILT='$(BUILT)' scripts/dist.sh out/dist

suricata-update: build ## the real suricata-update with this program in Suricata's place
	@scripts/suricata_update.sh $(TARGET)/release/weir

docs: ## the guide's reference pages, and the documentation of the crates in target/doc
	@scripts/setup.sh build
	UPDATE=1 cargo test --quiet -p weir-engine --test documentation
	cargo doc --workspace --no-deps

clean: ## remove what was built
	cargo clean
	rm -rf out fuzz/target
