package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/opgen-dev/opgen/internal/longtest"
)

func TestInterruptedBuildLeavesNothing(t *testing.T) {
	for _, phase := range []Phase{PhaseDownloading, PhaseCompiling} {
		t.Run(string(phase), func(t *testing.T) {
			if phase == PhaseCompiling {
				longtest.Skip(t, "it lists the packages of Kubernetes")
			}
			ctx, cancel := context.WithCancel(t.Context())
			cache := Cache{Dir: t.TempDir()}
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			_, err := Build(ctx, cache, Version, func(p Progress) {
				if p.Phase == phase {
					cancel()
				}
			})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("Build = %v, expected to be interrupted", err)
			}
			expectEmpty(t, cache.buildsDir())
			expectEmpty(t, temp)
		})
	}
}

func TestPartsOfAKilledBuildAreNotTrusted(t *testing.T) {
	longtest.Skip(t, "it links the control plane")
	cache := Cache{Dir: t.TempDir()}
	killed, built, err := LookUp(t.Context(), cache, "")
	if err != nil || built {
		t.Fatalf("LookUp = %t, %v", built, err)
	}
	unfinished := filepath.Join(filepath.Dir(killed.Dir)+".tmp", "out", "bin", "half")
	if err := os.MkdirAll(unfinished, 0o755); err != nil {
		t.Fatal(err)
	}
	var building sync.WaitGroup
	var mutex sync.Mutex
	compiled := 0
	for range 2 {
		building.Go(func() {
			assets, err := Build(t.Context(), cache, "", func(p Progress) {
				if p.Phase == PhaseCompiling && p.Done == 0 {
					mutex.Lock()
					defer mutex.Unlock()
					compiled++
				}
			})
			if err != nil || assets != killed || !controlPlaneRecipe(Version).isBuilt(assets) {
				t.Errorf("Build = %+v, %v", assets, err)
			}
		})
	}
	building.Wait()
	if compiled != 1 {
		t.Errorf("two builds at once compiled %d times", compiled)
	}
	entries, err := os.ReadDir(cache.buildsDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || !strings.HasPrefix(entries[0].Name(), Version) {
		t.Errorf("the cache has %v, expected one build", entries)
	}
}

// Root may use what another user has built, and leaves that user's cache as it is.
func TestRootDoesNotBuildIntoACacheOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("skipped: it needs root to make a directory of another user")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	_, err := Build(t.Context(), Cache{Dir: filepath.Join(dir, "opgen")}, "", nil)
	if err == nil || !strings.Contains(err.Error(), "belongs to the user 65534") {
		t.Errorf("Build = %v, expected it to be refused", err)
	}
	expectEmpty(t, dir)
}
