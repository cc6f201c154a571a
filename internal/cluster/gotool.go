package cluster

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// goTool is the go command that builds the binary.
type goTool struct {
	path, version string
	platform      Platform
	temp          string // for its temporary files, which it leaves when it is interrupted
}

func findGo(ctx context.Context) (goTool, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return goTool{}, errors.New("no Go toolchain found: the local Kubernetes is built from Go modules, so install Go 1.26 or newer and put it on the PATH")
	}
	output, err := exec.CommandContext(ctx, path, "env", "GOVERSION").Output()
	if err != nil {
		return goTool{}, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	return goTool{path: path, version: strings.TrimSpace(string(output)), platform: hostPlatform()}, nil
}

// build compiles the programs of the module in dir, and writes them to or below the directory bin.
func (g goTool) build(ctx context.Context, m module, dir, bin string, progress ProgressFunc) error {
	report := func(p Progress) {
		p.What = m.what
		progress.report(p)
	}
	total, err := g.listPackages(ctx, m, dir, report)
	if err != nil {
		return err
	}
	compiled := 0
	report(Progress{Phase: PhaseCompiling, Total: total})
	countPackages := func(string) {
		compiled++
		phase := PhaseCompiling
		if compiled >= total {
			phase = PhaseLinking
		}
		report(Progress{Phase: phase, Done: min(compiled, total), Total: total})
	}
	output := filepath.Join(bin, m.output)
	if m.output == "." {
		output += string(filepath.Separator) // names a directory for several programs
	}
	_, err = g.runGo(ctx, dir, countPackages, slices.Concat([]string{"build", "-v", "-o", output}, m.flags(), m.packages)...)
	return err
}

// listPackages downloads what the build needs and counts the packages that Go's build cache does not have.
func (g goTool) listPackages(ctx context.Context, m module, dir string, report func(Progress)) (int, error) {
	downloaded := 0
	report(Progress{Phase: PhaseDownloading})
	countDownloads := func(line string) {
		if strings.HasPrefix(line, "go: downloading ") {
			downloaded++
			report(Progress{Phase: PhaseDownloading, Done: downloaded})
		}
	}
	if m.trimmed {
		if err := g.trimModule(ctx, dir, countDownloads); err != nil {
			return 0, err
		}
	}
	stale := []string{"list", "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}"}
	packages, err := g.runGo(ctx, dir, countDownloads, slices.Concat(stale, m.flags(), m.packages)...)
	return bytes.Count(packages, []byte("\n")), err
}

// trimModule replaces the module in trimmedModule by a copy without one file. See there for the
// reason.
func (g goTool) trimModule(ctx context.Context, dir string, eachLine func(string)) error {
	if _, err := g.runGo(ctx, dir, eachLine, "mod", "download", trimmedModule); err != nil {
		return err
	}
	original, err := g.runGo(ctx, dir, eachLine, "list", "-m", "-f", "{{.Dir}}", trimmedModule)
	if err != nil {
		return err
	}
	copied := filepath.Join(dir, "trimmed")
	if err := os.CopyFS(copied, os.DirFS(strings.TrimSpace(string(original)))); err != nil {
		return explainBuild(err, "")
	}
	if err := os.Remove(filepath.Join(copied, filepath.FromSlash(trimmedFile))); err != nil {
		return err
	}
	_, err = g.runGo(ctx, dir, eachLine, "mod", "edit", "-replace", trimmedModule+"=./trimmed")
	return err
}

// runGo runs the go command and returns its standard output. It passes each line of standard error
// to eachLine at once. It sets GOFLAGS to Go's default instead of unsetting it, because the go
// command would then read the flags that "go env -w" has stored.
func (g goTool) runGo(ctx context.Context, dir string, eachLine func(string), args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, g.path, args...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), heapSettings(), []string{
		"CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off", "GOOS=" + g.platform.OS, "GOARCH=" + g.platform.Arch, "TMPDIR=" + g.temp, "PWD=" + dir,
	})
	startOwnGroup(cmd)
	var output bytes.Buffer
	cmd.Stdout = &output
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var errorOutput tail
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		eachLine(lines.Text())
		errorOutput.add(lines.Text())
	}
	_, _ = io.Copy(io.Discard, stderr) // a line longer than the buffer ends the scan early
	err = cmd.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("build interrupted: %w", context.Cause(ctx))
	}
	if err != nil {
		return nil, explainBuild(err, errorOutput.String())
	}
	return output.Bytes(), nil
}

// heapSettings keep the compiler from collecting garbage below a heap of 1 GiB, which no package of
// Kubernetes reaches. This saves 8% of the compile time. If the environment has settings of the user,
// heapSettings returns nothing.
func heapSettings() []string {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	return []string{"GOGC=off", "GOMEMLIMIT=1GiB"}
}

// tail collects the last 20 lines of an output, for error messages.
type tail struct{ lines []string }

func (t *tail) add(line string) {
	t.lines = append(t.lines, line)
	if excess := len(t.lines) - 20; excess > 0 {
		t.lines = t.lines[excess:]
	}
}

func (t *tail) String() string { return strings.Join(t.lines, "\n") }

// explainBuild replaces the error of a failed build by what to do about it, as far as the output
// shows the cause.
func explainBuild(err error, output string) error {
	text := err.Error() + "\n" + output
	contains := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(text, word) {
				return true
			}
		}
		return false
	}
	switch {
	case contains(noSpaceLeft, "disk quota exceeded"):
		return fmt.Errorf("no space left to build Kubernetes (it takes about 3 GB while building): free some, or set OPGEN_CACHE, GOCACHE, GOMODCACHE or GOTMPDIR to another disk\n%s", lastLine(text))
	case contains("permission denied", "read-only file system"):
		return fmt.Errorf("no permission to build Kubernetes: set OPGEN_CACHE, GOCACHE, GOMODCACHE or GOTMPDIR to directories that can be written\n%s", lastLine(text))
	case contains("module lookup disabled", "no such host", "connection refused", "i/o timeout", "network is unreachable", "server misbehaving", "TLS handshake"):
		return fmt.Errorf("cannot download the Go modules of Kubernetes: connect to the network once, or point GOPROXY to a module proxy that can be reached\n%s", lastLine(text))
	default:
		return fmt.Errorf("build Kubernetes: %w\n%s", err, output)
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return "    " + strings.TrimSpace(lines[len(lines)-1])
}
