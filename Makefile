# What a developer of opgen runs. `make` alone lists the targets.

GOLANGCI_LINT_VERSION := v2.15.0
GOTESTSUM_VERSION := v1.13.0

# The modules of the checkout are built by their own go.mod, whatever a go.work above it lists. GOWORK in the
# environment takes precedence.
GOWORK ?= off
export GOWORK

# With cgo, opgen exports every symbol of its code, since kustomize can load plugins: 16 MB.
CGO_ENABLED ?= 0
export CGO_ENABLED

OPGEN := bin/opgen
EXAMPLES := $(patsubst %/go.mod,%,$(wildcard examples/*/go.mod))

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build opgen into bin/, without what only a debugger reads.
	go build -ldflags=-s -o $(OPGEN) ./cmd/opgen

.PHONY: test
test: build ## Run every test, against a local control plane where one is needed (built on the first run).
	GOTESTSUM_VERSION=$(GOTESTSUM_VERSION) .ci/test $(EXAMPLES)

.PHONY: e2e
e2e: build ## Run three examples end to end, on a node that root starts, or in the cluster of OPGEN_E2E_KUBECONFIG.
	GOTESTSUM_VERSION=$(GOTESTSUM_VERSION) .ci/e2e

.PHONY: test-oldest
test-oldest: build ## Run the tests that meet an API server against the oldest Kubernetes that is promised (built on the first run).
	GOTESTSUM_VERSION=$(GOTESTSUM_VERSION) .ci/test-oldest

FUZZ_TIME ?= 1m

.PHONY: explore
explore: build ## Look for longer than the tests do: every fault and mutation, an upgrade under 1,000 parents, each fuzz test for FUZZ_TIME.
	GOTESTSUM_VERSION=$(GOTESTSUM_VERSION) FUZZ_TIME=$(FUZZ_TIME) .ci/explore

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

.PHONY: corpus
corpus: ## Import the CRDs below CRDS=DIR, make them and their Go types again, and print what came out.
	@go run ./tools/corpus $(CRDS)

.PHONY: clean
clean: ## Remove what was built here.
	rm -rf bin
