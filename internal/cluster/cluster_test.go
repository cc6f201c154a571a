package cluster

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/opgen-dev/opgen/internal/longtest"
)

// realOptions are for instances of this test alone, made of the binary that all share: that of the newest release, or
// of the one in OPGEN_TEST_KUBERNETES.
func realOptions(t *testing.T, name string) Options {
	t.Helper()
	longtest.Skip(t, "it starts a control plane, and builds it on first use")
	cache, err := DefaultCache()
	if err != nil {
		t.Fatal(err)
	}
	release := Release(Version)
	if version := os.Getenv("OPGEN_TEST_KUBERNETES"); version != "" {
		if release, err = FindRelease(version); err != nil {
			t.Fatal(err)
		}
	}
	return Options{Name: name, Release: release, Cache: cache, State: StateDir{Dir: t.TempDir()}}
}

// up starts an instance that is gone at the end of the test.
func up(t *testing.T, o Options) *Outcome {
	t.Helper()
	outcome, err := Up(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := Down(context.Background(), o.State, o.Name); err != nil {
			t.Error(err)
		}
	})
	return outcome
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if waitUntil(ctx, holds) != nil {
		t.Errorf("not within a minute: %s", what)
	}
}
