package operator_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/workdir"
)

// upgradeKey is the variable that names the commit whose runtime is upgraded; without it,
// that is the last release, and before the first one the commit of upgradeCommits ago.
const (
	upgradeKey     = "OPGEN_UPGRADE_FROM"
	upgradeCommits = "20"
)

// upgradeSource is the operator that is built with both runtimes.
const upgradeSource = "runtime/operator/testdata/upgrade"

// formerRuntime returns the root of the repository, and the commit whose runtime is
// upgraded. It skips the test where there is none.
func formerRuntime(t *testing.T) (root, ref string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	top, err := git(root, "rev-parse", "--show-toplevel")
	if err != nil {
		t.Skipf("there is no former runtime to upgrade from: %v", err)
	}
	if resolved, err := filepath.EvalSymlinks(root); err != nil || strings.TrimSpace(string(top)) != resolved {
		t.Skipf("there is no former runtime to upgrade from: %s is not the root of a git repository", root)
	}
	if ref = os.Getenv(upgradeKey); ref == "" {
		ref = formerCommit(t, root)
	}
	if _, err := git(root, "rev-parse", "--verify", "--quiet", ref+"^{commit}"); err != nil {
		t.Skipf("the commit %s to upgrade from is not in this repository: %v", ref, err)
	}
	return root, ref
}

// formerCommit returns the last release, or where there is none an earlier commit.
func formerCommit(t *testing.T, root string) string {
	t.Helper()
	for _, args := range [][]string{
		{"describe", "--tags", "--abbrev=0", "--match", "v*"},
		{"rev-list", "--max-count=1", "--skip=" + upgradeCommits, "--first-parent", "HEAD"},
	} {
		if found, err := git(root, args...); err == nil && strings.TrimSpace(string(found)) != "" {
			return strings.TrimSpace(string(found))
		}
	}
	t.Skipf("there is no release to upgrade from, the history has fewer than %s commits, and %s names none", upgradeCommits, upgradeKey)
	return ""
}

// buildUpgradePrograms builds the operator with the runtime of a commit, and with the
// current one. Both files have the same name, as those of a user have.
func buildUpgradePrograms(t *testing.T, root, ref string) (former, current string) {
	t.Helper()
	dir := workdir.New(t, "upgrade") // with the same path in each run, so that Go's build cache knows the former runtime
	archive, err := git(root, "archive", ref, "go.mod", "go.sum", "runtime")
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(dir, "source")
	if err := os.Mkdir(source, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := output(source, bytes.NewReader(archive), "tar", "-x"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(source, upgradeSource)); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(source, upgradeSource), os.DirFS(filepath.Join(root, upgradeSource))); err != nil {
		t.Fatal(err)
	}
	build := func(root, folder string) string {
		file := filepath.Join(dir, folder, "site-operator")
		if _, err := output(root, nil, "go", "build", "-buildvcs=false", "-o", file, "./"+upgradeSource); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return build(source, "former"), build(root, "current")
}

func git(dir string, args ...string) ([]byte, error) {
	return output(dir, nil, "git", args...)
}

// output runs a program. Its error has what the program says of it.
func output(dir string, input io.Reader, program string, args ...string) ([]byte, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdin = dir, input
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, &failedProgram{program, strings.TrimSpace(said.String()), err}
	}
	return out, nil
}

// failedProgram is the error of a program that another one has run.
type failedProgram struct {
	program, said string
	err           error
}

func (e *failedProgram) Unwrap() error { return e.err }

func (e *failedProgram) Error() string { return e.program + ": " + e.err.Error() + ": " + e.said }
