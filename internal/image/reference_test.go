package image

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const someDigest = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// The name of an image is the one that container runtimes give it.
func TestParseTag(t *testing.T) {
	for text, want := range map[string]string{
		"echo":                                 "docker.io/library/echo:latest",
		"me/echo:v1":                           "docker.io/me/echo:v1",
		"127.0.0.1:5000/echo:v1":               "127.0.0.1:5000/echo:v1",
		"registry.example.com:5000/a/b/c:1.10": "registry.example.com:5000/a/b/c:1.10",
	} {
		tag, err := ParseTag(text)
		if err != nil || canonicalName(tag.Name()) != want {
			t.Errorf("%s: %s, %v; want %s", text, canonicalName(tag.Name()), err, want)
		}
	}
	for _, text := range []string{"", "Echo:v1", "echo:", "echo:v1" + someDigest, "echo v1", "https://registry.example.com/echo"} {
		if tag, err := ParseTag(text); err == nil {
			t.Errorf("%q is accepted as %s", text, tag)
		}
	}
}

func TestParseBase(t *testing.T) {
	for text, want := range map[string]string{
		"registry.example.com/base" + someDigest:    "registry.example.com/base" + someDigest,
		"registry.example.com/base:v3" + someDigest: "registry.example.com/base:v3" + someDigest,
		"debian" + someDigest:                       "docker.io/library/debian" + someDigest,
	} {
		base, err := ParseBase(text)
		if err != nil || base.String() != want {
			t.Errorf("%s: %s, %v; want %s", text, base, err, want)
		}
	}
	for _, text := range []string{"registry.example.com/base:v3", "base@sha256:0123", "Base" + someDigest} {
		if base, err := ParseBase(text); err == nil {
			t.Errorf("%q is accepted as %s", text, base)
		}
	}
}

func TestSplitReference(t *testing.T) {
	for text, want := range map[string][3]string{
		"echo":                            {"echo", "", ""},
		"registry:5000/echo":              {"registry:5000/echo", "", ""},
		"registry:5000/echo:v1":           {"registry:5000/echo", "v1", ""},
		"me/echo" + someDigest:            {"me/echo", "", someDigest[1:]},
		"registry:5000/a:v1" + someDigest: {"registry:5000/a", "v1", someDigest[1:]},
	} {
		repository, tag, digest := SplitReference(text)
		if got := [3]string{repository, tag, digest}; got != want {
			t.Errorf("%s: %q; want %q", text, got, want)
		}
	}
}

func TestSourceOf(t *testing.T) {
	for module, want := range map[string]string{
		"github.com/me/echo":              "https://github.com/me/echo",
		"github.com/me/echo/v2":           "https://github.com/me/echo",
		"github.com/me/operators/echo":    "https://github.com/me/operators",
		"gitlab.com/me/echo":              "https://gitlab.com/me/echo",
		"gitlab.com/group/sub/echo":       "",
		"example.com/echo":                "",
		"github.com/me":                   "",
		"git.internal.example.com/me/one": "",
	} {
		if got := sourceOf(module); got != want {
			t.Errorf("%s: %q, want %q", module, got, want)
		}
	}
}

// The revision is known while all files are those of a commit.
func TestRevisionOf(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "none"))
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	if got := revisionOf(t.Context(), dir); got != "" {
		t.Errorf("without a repository: %q", got)
	}
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "user.name=me", "-c", "user.email=me@example.com"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	writeFile(t, filepath.Join(dir, "main.go"), "package main\n")
	writeFile(t, filepath.Join(dir, ".gitignore"), "/bin/\n")
	git("add", ".")
	git("commit", "-qm", "One file")
	writeFile(t, filepath.Join(dir, "bin", "image.tar"), "ignored")
	if got, want := revisionOf(t.Context(), dir), git("rev-parse", "HEAD"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	writeFile(t, filepath.Join(dir, "other.go"), "package main\n")
	if got := revisionOf(t.Context(), dir); got != "" {
		t.Errorf("with a file that is in no commit: %q", got)
	}
}
