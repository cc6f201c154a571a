package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The flags of make build: the first in generated projects, the second in opgen, too.
const (
	operatorTag = "-tags=grpcnotrace"
	stripped    = "-ldflags=-s"
)

// binary is a built program.
type binary struct{ name, path string }

// binaries measures what a command costs before its own work: the start of a process, and the initialization of what
// it links. It has no peer here. The sizes are those of what make build makes, in opgen and in a generated project.
func (b *bench) binaries(ctx context.Context) error {
	dir := filepath.Join(b.temp, "binaries")
	operator := binary{"generated operator", filepath.Join(b.temp, "operator")}
	untagged := binary{"generated operator without " + operatorTag, filepath.Join(b.temp, "operator-untagged")}
	if err := b.buildOperators(ctx, dir, operator, untagged); err != nil {
		return err
	}
	generate, _ := b.generators(dir)
	const runs = 40
	rows, err := b.timeInTurn(ctx, runs,
		contender{name: "opgen version", dir: dir, args: []string{b.peers.opgen, "version"}},
		generate,
		contender{name: "generated operator, --help", dir: dir, args: []string{operator.path, "--help"}},
	)
	if err != nil {
		return err
	}
	initialized, err := readInitialized(ctx, b.peers.opgen, "version")
	if err != nil {
		return err
	}
	sizes, err := sizesOf(binary{"opgen", b.peers.opgen}, operator, untagged)
	if err != nil {
		return err
	}
	start := fmt.Sprintf("%.0f %%", 100*float64(rows[0].cpu())/float64(rows[1].cpu()))
	b.table.add(fmt.Sprintf("start a process (%d runs)", runs), rows, append([]fact{
		{text: "start of opgen as a part of generate, processor", value: start},
		{text: "packages that opgen initializes", value: initialized.String()},
	}, sizes...)...)
	return nil
}

// buildOperators makes a project in dir and builds its operator with the tag of make build, and without.
func (b *bench) buildOperators(ctx context.Context, dir string, tagged, untagged binary) error {
	if err := b.makeEchoProject(ctx, dir); err != nil {
		return err
	}
	for _, c := range []contender{
		{name: "build the operator", dir: dir, args: []string{"go", "build", operatorTag, stripped, "-o", tagged.path, "."}},
		{name: "build the operator without " + operatorTag, dir: dir, args: []string{"go", "build", stripped, "-o", untagged.path, "."}},
	} {
		if _, err := c.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sizesOf returns how large the files are.
func sizesOf(binaries ...binary) ([]fact, error) {
	var sizes []fact
	for _, b := range binaries {
		info, err := os.Stat(b.path)
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, fact{text: "size of " + b.name, value: fmt.Sprintf("%.1f MB", float64(info.Size())/1e6)})
	}
	return sizes, nil
}

// initialized is what a process does before main.
type initialized struct {
	packages int
	bytes    int64 // allocated
}

func (i initialized) String() string {
	return fmt.Sprintf("%d, which allocate %.1f MB", i.packages, float64(i.bytes)/1e6)
}

// readInitialized runs a command and returns what Go's runtime reports of the initialization of its packages.
func readInitialized(ctx context.Context, args ...string) (initialized, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var report bytes.Buffer
	cmd.Stderr = &report
	if err := cmd.Run(); err != nil {
		return initialized{}, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	var all initialized
	for lines := bufio.NewScanner(&report); lines.Scan(); {
		_, after, found := strings.Cut(lines.Text(), " clock, ")
		var bytes int64
		if _, err := fmt.Sscanf(after, "%d bytes", &bytes); !found || err != nil {
			continue
		}
		all.packages++
		all.bytes += bytes
	}
	return all, nil
}
