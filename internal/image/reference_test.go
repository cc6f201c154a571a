package image

import (
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
