package project

import (
	"strings"
	"testing"
)

func TestDownloadsDoNotHideWhatGoSays(t *testing.T) {
	const text = "go: downloading k8s.io/api v0.37.2\ngo: example.com/orchard imports\n\texample.com/gone: not found\ngo: downloading k8s.io/client-go v0.37.2\n"
	if got := withoutDownloads(text); got != "go: example.com/orchard imports\n\texample.com/gone: not found\n" {
		t.Errorf("%q", got)
	}
}

func TestPackagesThatANewerKubernetesDoesNotHave(t *testing.T) {
	const gone = "go: example.com/orchard imports\n\tk8s.io/api/scheduling/v1alpha2: module k8s.io/api@latest found (v0.37.2), but does not contain package k8s.io/api/scheduling/v1alpha2\n"
	if hint := packageGone(gone); !strings.Contains(hint, "write its successor") {
		t.Errorf("%q", hint)
	}
	if hint := packageGone("go: example.com/gone@v1.0.0: reading https://example.com: 404 Not Found\n"); hint != "" {
		t.Errorf("%q", hint)
	}
}
