package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A repository of another user, and one in a folder where every user can make one, runs nothing: git would run the program
// that its configuration names for a changed file.
func TestRevisionOfForeignRepositoryIsUnknown(t *testing.T) {
	for name, test := range map[string]struct {
		foreign func(t *testing.T, above string)
		why     string // what the plan says of it
	}{
		"of another user": {func(t *testing.T, _ string) { t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1") }, "dubious ownership"},
		"chowned": {func(t *testing.T, above string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a folder to another user")
			}
			if err := os.Chown(filepath.Join(above, ".git"), 65534, 65534); err != nil {
				t.Fatal(err)
			}
		}, "dubious ownership"},
		"in a shared folder": {func(t *testing.T, above string) {
			if err := os.Chmod(above, 0o777|os.ModeSticky); err != nil {
				t.Fatal(err)
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, ran := newFilteredProject(t)
			test.foreign(t, filepath.Dir(dir))
			plan, err := NewPlan(t.Context(), request(t, dir))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("git has run the filter of the repository")
			}
			if plan.Revision != "" {
				t.Errorf("the revision is %q", plan.Revision)
			}
			if !strings.Contains(plan.RevisionUnknown, test.why) || test.why == "" && plan.RevisionUnknown != "" {
				t.Errorf("the plan says %q, want %q in it", plan.RevisionUnknown, test.why)
			}
		})
	}
}

// The user's own repository above the project gives the revision, and runs what the user has configured.
func TestRevisionOfOwnRepository(t *testing.T) {
	dir, ran := newFilteredProject(t)
	plan, err := NewPlan(t.Context(), request(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	if want := git(t, filepath.Dir(dir), "rev-parse", "HEAD"); plan.Revision != want || plan.RevisionUnknown != "" {
		t.Errorf("the revision is %q (%s), want %q", plan.Revision, plan.RevisionUnknown, want)
	}
	if _, err := os.Stat(ran); err != nil {
		t.Errorf("the filter was not run: the other tests show nothing: %v", err)
	}
}

// The revision is known while all files are those of a commit.
func TestRevisionOf(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "none"))
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	expect := func(when, want string) {
		t.Helper()
		if got, refused := revisionOf(t.Context(), dir); got != want || refused != "" {
			t.Errorf("%s: %q (%s), want %q", when, got, refused, want)
		}
	}
	expect("without a repository", "")
	git(t, dir, "init", "--quiet")
	writeFile(t, filepath.Join(dir, "main.go"), "package main\n")
	writeFile(t, filepath.Join(dir, ".gitignore"), "/bin/\n")
	commit(t, dir)
	writeFile(t, filepath.Join(dir, "bin", "image.tar"), "ignored")
	expect("with an ignored file", git(t, dir, "rev-parse", "HEAD"))
	writeFile(t, filepath.Join(dir, "other.go"), "package main\n")
	expect("with a file that is in no commit", "")
}

// newFilteredProject returns a project in a repository above it whose configuration names a filter, and the file that the
// filter makes.
func newFilteredProject(t *testing.T) (dir, ran string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir = newProject(t)
	above := filepath.Dir(dir)
	ran = filepath.Join(t.TempDir(), "ran")
	writeFile(t, filepath.Join(above, ".gitattributes"), "*.go filter=evil\n")
	git(t, above, "init", "--quiet")
	commit(t, above)
	git(t, above, "config", "filter.evil.clean", "touch '"+ran+"'; cat")
	main := filepath.Join(dir, "main.go")
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(main, past, past); err != nil { // so that git compares the content
		t.Fatal(err)
	}
	return dir, ran
}

// commit commits all files of a repository.
func commit(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "add", ".")
	git(t, dir, "-c", "user.name=me", "-c", "user.email=me@example.com", "commit", "--quiet", "--message=All files")
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}
