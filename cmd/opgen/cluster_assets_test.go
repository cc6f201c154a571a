package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/cluster"
	"github.com/opgen-dev/opgen/internal/longtest"
)

// fakeAssets returns a directory with programs that only know their version.
func fakeAssets(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho Kubernetes v1.33.1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestClusterAssets(t *testing.T) {
	cache := t.TempDir()
	dirs := map[string]string{
		"ALL":     fakeAssets(t, "etcd", "kube-apiserver", "kube-controller-manager", "kubectl"),
		"ENVTEST": fakeAssets(t, "etcd", "kube-apiserver", "kubectl"),
		"NOTHING": fakeAssets(t),
		"ABSENT":  filepath.Join(t.TempDir(), "absent"),
		"CACHED":  filepath.Join(cache, "kubernetes", "v1.0.0-deleted", "bin"),
	}
	for _, test := range []struct {
		name, line  string
		environment map[string]string
		code        int
		err         string
	}{
		{"flag", "--dry-run --assets ALL", nil, exitDone, "would use Kubernetes v1.33.1 in ALL\nwould start"},
		{"flag without controllers", "--dry-run --assets ENVTEST", nil, exitDone, "in ENVTEST, without kube-controller-manager\nwould start"},
		{"flag of one command", "--dry-run", map[string]string{"OPGEN_CLUSTER_UP_ASSETS": "ALL"}, exitDone, "in ALL\n"},
		{"flag's variable before envtest's", "--dry-run", map[string]string{"OPGEN_ASSETS": "ALL", assetsVariable: "ENVTEST"}, exitDone, "in ALL\n"},
		{"envtest's variable", "--dry-run", map[string]string{assetsVariable: "ENVTEST"}, exitDone, "in ENVTEST, without"},
		{"envtest's variable, refused", "--dry-run --assets=", map[string]string{assetsVariable: "ENVTEST"}, exitDone, "would build"},
		{"what opgen had built", "--dry-run", map[string]string{assetsVariable: "CACHED"}, exitDone, "would build"},
		{"nothing to build", "--build-only --assets ENVTEST", nil, exitDone, "Kubernetes v1.33.1 is used as it is in ENVTEST, without kube-controller-manager\n"},
		{"another version", "--dry-run --kubernetes 1.33", nil, exitDone, "would build Kubernetes v1.33.13 into "},
		{"another version whatever envtest's variable says", "--dry-run --kubernetes v1.33.13", map[string]string{assetsVariable: "ALL"}, exitDone, "would build Kubernetes v1.33.13 into "},
		{"a version that cannot be built", "--kubernetes 1.32", nil, exitInvalid, "--kubernetes: cannot build Kubernetes \"1.32\": choose one of 1.33 (v1.33.13), 1.36 ("},
		{"two versions", "--kubernetes 1.33 --assets ALL", nil, exitInvalid, "--kubernetes 1.33 goes not with --assets ALL"},
		{"absent", "--assets ABSENT", nil, exitInvalid, "--assets ABSENT: there is no such directory\n    name a directory with etcd"},
		{"absent, of envtest's variable", "", map[string]string{assetsVariable: "ABSENT"}, exitInvalid, "KUBEBUILDER_ASSETS ABSENT: there is no such directory"},
		{"without a node", "--node --assets ALL", nil, exitInvalid, "--assets ALL: this directory has no kube-scheduler, kubelet, "},
		{"envtest's variable, which has no node", "--node --build-only --dry-run", map[string]string{assetsVariable: "ENVTEST"}, exitDone, "would build Kubernetes"},
		{"without programs", "--assets NOTHING", nil, exitInvalid, "--assets NOTHING: there is no executable etcd and no kube-apiserver"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("OPGEN_CACHE", cache)
			t.Setenv("OPGEN_STATE", t.TempDir())
			t.Setenv(assetsVariable, "")
			for name, value := range test.environment {
				t.Setenv(name, dirs[value])
			}
			line := append([]string{"cluster", "up"}, strings.Fields(test.line)...)
			for i, word := range line {
				if dir, found := dirs[word]; found {
					line[i] = dir
				}
			}
			code, out, message := commandLine(line...)
			for name, dir := range dirs {
				message = strings.ReplaceAll(message, dir, name)
			}
			if code != test.code || out != "" || !strings.Contains(message, test.err) {
				t.Errorf("got %d, %q, %q\nexpected %d, %q", code, out, message, test.code, test.err)
			}
		})
	}
}

func TestClusterAssetsAsJSON(t *testing.T) {
	t.Setenv("OPGEN_STATE", t.TempDir())
	dir := fakeAssets(t, "etcd", "kube-apiserver")
	var plan cluster.Plan
	code, out, message := commandLine("cluster", "up", "--dry-run", "-o", "json", "--assets", dir)
	if code != exitDone || json.Unmarshal([]byte(out), &plan) != nil {
		t.Fatalf("up --dry-run: %d, %s, %s", code, out, message)
	}
	if plan.Build || !plan.Start || plan.Assets != dir || plan.Version != "v1.33.1" ||
		!slices.Equal(plan.Missing, []string{"kube-controller-manager", "kubectl"}) {
		t.Errorf("up --dry-run: %+v", plan)
	}
	var assets cluster.Assets
	code, out, message = commandLine("cluster", "up", "--build-only", "-o", "json", "--assets", dir)
	if code != exitDone || json.Unmarshal([]byte(out), &assets) != nil || assets.Dir != dir {
		t.Errorf("up --build-only: %d, %s, %s", code, out, message)
	}
}

func TestFindKubectl(t *testing.T) {
	beside := fakeAssets(t, "etcd", "kube-apiserver", "kubectl")
	bare := fakeAssets(t, "etcd", "kube-apiserver")
	environment := fakeAssets(t, "kubectl")
	path := fakeAssets(t, "kubectl")
	for _, test := range []struct {
		name     string
		instance *cluster.Instance
		assets   string
		expected string
	}{
		{"beside the instance's executables", &cluster.Instance{Assets: beside}, environment, beside},
		{"of the variable", &cluster.Instance{Assets: bare}, environment, environment},
		{"of the variable, for another cluster", nil, environment, environment},
		{"on the PATH", &cluster.Instance{Assets: bare}, bare, path},
		{"on the PATH, for another cluster", nil, "", path},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("OPGEN_CACHE", t.TempDir())
			t.Setenv("PATH", path)
			t.Setenv(assetsVariable, test.assets)
			found, err := findKubectl(t.Context(), streams{}, test.instance)
			if expected := filepath.Join(test.expected, "kubectl"); err != nil || found != expected {
				t.Errorf("got %s, %v, expected %s", found, err, expected)
			}
		})
	}
}

// TestClusterFromExecutables runs an instance from a directory as setup-envtest fills it.
func TestClusterFromExecutables(t *testing.T) {
	longtest.Skip(t, "it starts a control plane, and builds it on first use")
	built := buildAssets(t)
	dir := t.TempDir()
	for _, name := range []string{"etcd", "kube-apiserver", "kubectl"} {
		if err := os.Symlink(filepath.Join(built.Dir, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("OPGEN_CACHE", filepath.Join(t.TempDir(), "never made"))
	t.Setenv("OPGEN_STATE", t.TempDir())
	t.Setenv("KUBECONFIG", "")
	t.Setenv(assetsVariable, dir)
	defer commandLine("cluster", "down")
	var report upReport
	code, out, message := commandLine("cluster", "up", "-o", "json")
	if code != exitDone || json.Unmarshal([]byte(out), &report) != nil || report.Controllers || report.Assets != dir {
		t.Fatalf("up: %d, %s, %s", code, out, message)
	}
	if expected := "cluster \"default\" has no kube-controller-manager, since there is none in " + dir + "\n"; !strings.Contains(message, expected) {
		t.Errorf("up says %q, expected %q", message, expected)
	}
	if _, _, message := commandLine("cluster", "up", "--assets", built.Dir); !strings.Contains(message, "runs from "+dir+", not from "+built.Dir) {
		t.Errorf("up from another directory says %q", message)
	}
	if code, out := kubectlOutput(t, "", "get", "namespace", "default", "-o", "name"); code != 0 || out != "namespace/default\n" {
		t.Errorf("kubectl: %d, %s", code, out)
	}
	files := map[string]bool{}
	for _, file := range []string{report.Kubeconfig, filepath.Join(report.Dir, "kubectl-cache"), os.Getenv("OPGEN_CACHE")} {
		_, err := os.Stat(file)
		files[filepath.Base(file)] = err == nil
	}
	if expected := map[string]bool{"kubeconfig": true, "kubectl-cache": true, "never made": false}; !maps.Equal(files, expected) {
		t.Errorf("there is %v, expected %v", files, expected)
	}
}

// buildAssets returns the control plane that all tests share.
func buildAssets(t *testing.T) cluster.Assets {
	t.Helper()
	cache, err := cluster.DefaultCache()
	if err != nil {
		t.Fatal(err)
	}
	assets, err := cluster.Build(t.Context(), cache, cluster.Version, nil)
	if err != nil {
		t.Fatal(err)
	}
	return assets
}
