package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/opgen-dev/opgen/internal/cluster"
	"github.com/opgen-dev/opgen/internal/workdir"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"opgen": main})
}

// TestScript runs testdata/script: one file for each behaviour that a user can see.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		WorkdirRoot:         workdir.New(t, "scripts"),
		RequireExplicitExec: true,
		Setup:               setUpScript,
		Condition:           scriptCondition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"allowed":    allowed,
			"capture":    capture,
			"checkout":   checkout,
			"replace":    replaceText,
			"eventually": eventually,
			"exits":      exits,
			"publish":    publish,
		},
	})
}

// setUpScript gives a script the caches of the machine, so that it downloads nothing, and nothing
// of its user. Where a script has to, it sets GOPROXY to MODULE_PROXY.
func setUpScript(env *testscript.Env) error {
	for name, setting := range map[string]string{"GOMODCACHE": "GOMODCACHE", "GOCACHE": "GOCACHE", "MODULE_PROXY": "GOPROXY"} {
		value, err := exec.Command("go", "env", setting).Output()
		if err != nil {
			return err
		}
		env.Setenv(name, string(value[:len(value)-1]))
	}
	checkout, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return err
	}
	env.Setenv("CHECKOUT", checkout)
	env.Setenv("HOME", filepath.Join(env.WorkDir, ".home"))
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	env.Setenv("BINARY", binary) // a file that is no text
	env.Setenv("GOPROXY", "off")
	env.Setenv("CGO_ENABLED", "0")                     // as the rest of make test: otherwise most packages are compiled a second time
	env.Setenv("GOFLAGS", "-mod=readonly -ldflags=-w") // without debug information, a program is linked in half the time
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
	cache, err := cluster.DefaultCache()
	if err != nil {
		return err
	}
	if err := shareBuilds(env, cache.Dir); err != nil {
		return err
	}
	state := cluster.StateDir{Dir: filepath.Join(env.WorkDir, "state")}
	env.Setenv("OPGEN_STATE", state.Dir)
	env.Defer(func() {
		_, _ = cluster.Down(context.Background(), state, cluster.DefaultName) // of a script that has failed
	})
	for _, name := range []string{"OPGEN_TEST_KUBECONFIG", "OPGEN_AUDIT_LOG", "GOGC", "GOMEMLIMIT"} {
		env.Setenv(name, os.Getenv(name))
	}
	return nil
}

// shareBuilds gives a script a cache of its own, with the clusters that the machine has built.
func shareBuilds(env *testscript.Env, machine string) error {
	own, builds := filepath.Join(env.WorkDir, "cache"), filepath.Join(machine, "kubernetes")
	for _, folder := range []string{own, builds} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	env.Setenv("OPGEN_CACHE", own)
	return os.Symlink(builds, filepath.Join(own, "kubernetes"))
}

// scriptCondition adds [cluster]: a cluster for tests is there, and [releases]: this run compiles opgen as releases.
func scriptCondition(condition string) (bool, error) {
	switch condition {
	case "cluster":
		return os.Getenv("OPGEN_TEST_KUBECONFIG") != "", nil
	case "releases":
		return os.Getenv("OPGEN_TEST_RELEASES") != "", nil
	}
	return false, errors.New("unknown condition")
}

// exits is "exits CODE PROGRAM ARG...": like exec, but for one exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, expected %d", got, want)
	}
}
