# What a developer of opgen runs. `make` alone lists the targets.

GOLANGCI_LINT_VERSION := v2.15.0
GORELEASER_VERSION := v2.15.4
GOVULNCHECK_VERSION := v1.9.0

# The modules of the checkout are built by their own go.mod, whatever a go.work above it lists. GOWORK in the
# environment takes precedence.
GOWORK ?= off
export GOWORK

# With cgo, opgen exports every symbol of its code, since kustomize can load plugins: 16 MB.
CGO_ENABLED ?= 0
export CGO_ENABLED

# Compilers that collect garbage seldom, in up to 1 GiB, take a fifth less of the processors. .ci/tests.sh says the same of
# tests.
build testrun demo: export GOGC ?= 400
build testrun demo: export GOMEMLIMIT ?= 1GiB

OPGEN := bin/opgen
EXAMPLES := $(patsubst %/go.mod,%,$(wildcard examples/*/go.mod))

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build opgen into bin/, without what only a debugger reads.
	go build -ldflags=-s -o $(OPGEN) ./cmd/opgen

.PHONY: testrun
testrun:
	@[ -x bin/testrun ] || echo 'compiling what shows how far go is (tools/testrun)'
	@cd tools/testrun && go build -buildvcs=false -o ../../bin/testrun .

.PHONY: test
test: testrun ## Run the tests but for the long ones, against a local control plane (built on the first run).
	@.ci/test

.PHONY: test-long
test-long: build testrun ## Run what make test leaves out: long tests, all other examples, the modules in tools/, releases.
	@.ci/test-long

.PHONY: test-all
test-all: test ## Run every test: make test, then make test-long.
	@$(MAKE) --no-print-directory test-long

.PHONY: examples
examples: build testrun ## Run all tests of all examples against one local control plane, and print a table of them.
	@.ci/examples

.PHONY: e2e
e2e: build testrun ## Run four examples end to end, on a node that root starts, or in the cluster of OPGEN_E2E_KUBECONFIG.
	@.ci/e2e

.PHONY: test-oldest
test-oldest: build testrun ## Run the tests that meet an API server against the oldest Kubernetes that is promised (built on the first run).
	@.ci/test-oldest

FUZZ_TIME ?= 1m

.PHONY: explore
explore: build testrun ## Look for longer than the tests do: every fault and mutation, an upgrade under 1,000 parents, each fuzz test for FUZZ_TIME.
	@FUZZ_TIME=$(FUZZ_TIME) .ci/explore

.PHONY: mutants
mutants: build ## Put one bug after the other into the runtime, and see that an exploration finds each (half an hour).
	.ci/mutants

.PHONY: demo
demo: ## Watch a spec file become a running operator.
	@echo "demo: compiling itself, up to 10 s the first time"
	@go build -buildvcs=false -o bin/demo ./tools/demo && exec bin/demo

.PHONY: golden
golden: build ## Rewrite the golden files and the generated files of the examples.
	go test ./cmd/opgen ./internal/clientgen ./internal/crdgen ./internal/gotypes ./internal/importer ./internal/reference ./internal/scaffold ./internal/spec \
		./internal/templates ./internal/warnings \
		-run '^Test(Golden|Problems|GoAPI)' -update
	@for dir in $(EXAMPLES) bench/fleet/operator; do (cd $$dir && "$(CURDIR)/$(OPGEN)" generate) || exit 1; done

.PHONY: lint
lint: ## Check formatting, the import rules and the rest of .golangci.yml, and the words of the glossary.
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION) run ./...
	go run ./tools/words
	go run ./tools/api
	cd tools/licences && go run .

.PHONY: vulncheck
vulncheck: ## Look for known vulnerabilities that opgen or an operator reaches; GOVULNDB=URL names the database.
	GOVULNCHECK_VERSION=$(GOVULNCHECK_VERSION) .ci/vulncheck

.PHONY: api
api: ## List the Go API of the runtime again, which make lint compares: runtime/api.txt.
	go run ./tools/api -write

.PHONY: licences
licences: ## List the licences of what is linked again, which make lint compares: LICENCES.md.
	cd tools/licences && go run . -write

.PHONY: docs
docs: ## Write the parts of docs/ that come from the code: the references of commands, spec files and templates.
	go test ./cmd/opgen -run TestGoldenCommandDocs -update
	go test ./internal/reference -run TestGoldenSpecDocs -update
	go test ./internal/templates/usertemplates -run TestGoldenTemplateDocs -update

.PHONY: bench
bench: ## Time opgen against its peers, side by side in one run.
	cd bench && go run . $(BENCH)

.PHONY: bench-fleet
bench-fleet: ## Measure a generated operator beside hand-written ones with many parents: FLEET='--parents 200 --rounds 3'.
	cd bench && go run ./fleet $(FLEET)

CRDS ?= $(wildcard ../shared/crds)

GORELEASER := go run github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION)

.PHONY: snapshot
snapshot: build ## Make into dist/ what a release has, and publish nothing; SNAPSHOT=all: with the control planes of all platforms.
	GOOS=windows go vet ./cmd/... ./internal/... ./runtime/...
	@echo 'without signatures and the image, which only a release has'
	STEP=draft CONTROL_PLANES=$(SNAPSHOT) $(GORELEASER) release --snapshot --clean --skip=sign,ko
	.ci/archives

.PHONY: release
release: ## Make a draft of the release of the tag that is checked out (.github/workflows/release.yml runs this).
	STEP=draft CONTROL_PLANES=all $(GORELEASER) release --clean --skip=ko

.PHONY: publish
publish: ## Push the image of a release that is public (.github/workflows/publish.yml runs this).
	STEP=publish $(GORELEASER) release --clean --skip=before,archive,sbom,sign,homebrew

.PHONY: corpus
corpus: ## Import the CRDs below CRDS=DIR, make them and their Go types again, and print what came out.
	@go run ./tools/corpus $(CRDS)

.PHONY: movein
movein: ## Take copies of the kubebuilder projects PROJECTS="DIR DIR" over, and print what came out.
	@go run ./tools/movein $(PROJECTS)

.PHONY: clean
clean: ## Remove what was built here.
	rm -rf bin dist
