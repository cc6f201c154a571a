package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A release is installed where there is no Go, by another user: it starts what it has, and changes nothing of it.
func TestReleaseNeedsNoBuild(t *testing.T) {
	cache := released(t, byRelease)
	t.Setenv("PATH", t.TempDir()) // no Go
	plan, err := PlanUp(t.Context(), Options{Name: DefaultName, Cache: cache, State: StateDir{Dir: t.TempDir()}})
	if err != nil || plan.Build {
		t.Errorf("Up would build: %+v, %v", plan, err)
	}
	for range 2 {
		assets, err := Build(t.Context(), cache, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if missing := assets.missingOf(controlPlanePrograms()...); len(missing) > 0 {
			t.Errorf("%v missing in %s", missing, assets.Dir)
		}
		if data, err := os.ReadFile(assets.pathOf(etcd)); err != nil || string(data) != "#!/bin/sh\n" {
			t.Errorf("etcd is %q, %v", data, err)
		}
		if !cache.Contains(assets.Dir) {
			t.Errorf("%s is not in the cache: a shell would still use it after an upgrade", assets.Dir)
		}
	}
}

// Somebody puts the executable of another opgen beside the control plane.
func TestReleaseWithOtherSourcesIsNotUsed(t *testing.T) {
	cache := released(t, "another release")
	t.Setenv("PATH", t.TempDir())
	_, err := Build(t.Context(), cache, "", nil)
	if err == nil || !strings.Contains(err.Error(), "no Go toolchain found") {
		t.Errorf("the control plane of another opgen is used: %v", err)
	}
}

func TestReleaseWithoutACacheDirectorySaysWhatToDo(t *testing.T) {
	cache := released(t, byRelease)
	builds := cache.buildsDir()
	if err := os.MkdirAll(filepath.Dir(builds), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(builds, nil, 0o600); err != nil { // a file in the place of the folder
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), cache, "", nil); err == nil || !strings.Contains(err.Error(), "OPGEN_CACHE") {
		t.Errorf("got %v, want what to do", err)
	}
}

func TestFindPlatform(t *testing.T) {
	for text, want := range map[string]Platform{"": hostPlatform(), "linux/arm64": {"linux", "arm64"}, "darwin/amd64": {"darwin", "amd64"}} {
		if got, err := FindPlatform(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"windows/amd64", "linux", "linux/arm64/v8", "linux arm64"} {
		if got, err := FindPlatform(text); err == nil {
			t.Errorf("%q is accepted as %v", text, got)
		}
	}
}

// released returns a cache beside a release that has a control plane, built by builder.
func released(t *testing.T, builder string) Cache {
	t.Helper()
	r := controlPlaneRecipe(Version)
	files, err := r.sourceFiles()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := releasedFile(dir, r.buildKey(files, builder))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o600); err != nil { // unpacked without its mode
		t.Fatal(err)
	}
	return Cache{Dir: filepath.Join(t.TempDir(), "cache"), Released: dir}
}
