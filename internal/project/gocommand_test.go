package project

import "testing"

func TestDownloadsDoNotHideWhatGoSays(t *testing.T) {
	const text = "go: downloading k8s.io/api v0.37.2\ngo: example.com/orchard imports\n\texample.com/gone: not found\ngo: downloading k8s.io/client-go v0.37.2\n"
	if got := withoutDownloads(text); got != "go: example.com/orchard imports\n\texample.com/gone: not found\n" {
		t.Errorf("%q", got)
	}
}
