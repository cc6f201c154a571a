package cluster

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// script is a program that prints a line.
type script struct {
	prints string
	mode   os.FileMode
}

func writeScripts(t *testing.T, scripts map[string]script) string {
	t.Helper()
	dir := t.TempDir()
	for name, s := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho '"+s.prints+"'\n"), s.mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpenAssets(t *testing.T) {
	version := script{"Kubernetes v1.33.1", 0o755}
	for _, test := range []struct {
		name    string
		scripts map[string]script
		missing []string
		err     string
	}{
		{"all", map[string]script{etcd: version, apiServer: version, controllerManager: version, kubectl: version}, nil, ""},
		{"of setup-envtest", map[string]script{etcd: version, apiServer: version, kubectl: version}, []string{controllerManager}, ""},
		{"the least", map[string]script{etcd: version, apiServer: version}, []string{controllerManager, kubectl}, ""},
		{"none", nil, nil, "there is no executable etcd and no kube-apiserver in this directory"},
		{"no etcd", map[string]script{apiServer: version}, nil, "there is no executable etcd in this directory"},
		{"not executable", map[string]script{etcd: version, apiServer: {"", 0o644}}, nil, "there is no executable kube-apiserver"},
		{"something else", map[string]script{etcd: version, apiServer: {"v2", 0o755}}, nil, `it prints "v2\n"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := writeScripts(t, test.scripts)
			assets, err := OpenAssets(t.Context(), dir)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %v, expected %q", err, test.err)
				}
				return
			}
			if expected := (Assets{Dir: dir, Version: "v1.33.1"}); err != nil || assets != expected {
				t.Errorf("got %+v, %v, expected %+v", assets, err, expected)
			}
			if missing := assets.Missing(); !slices.Equal(missing, test.missing) {
				t.Errorf("Missing = %q, expected %q", missing, test.missing)
			}
		})
	}
}

func TestOpenAssetsNeedsADirectory(t *testing.T) {
	file := filepath.Join(writeScripts(t, map[string]script{etcd: {"", 0o755}}), etcd)
	for path, expected := range map[string]string{
		file:                               "not a directory",
		filepath.Join(t.TempDir(), "none"): "no such directory",
	} {
		if _, err := OpenAssets(t.Context(), path); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("OpenAssets(%s) = %v, expected %q", path, err, expected)
		}
	}
}

// Another user of the machine must not say what runs here, least of all as root.
func TestOpenAssetsRefusesWhatEveryUserMayWriteTo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	for _, open := range []string{"", etcd, kubectl} {
		ran := filepath.Join(t.TempDir(), "ran")
		version := script{"Kubernetes v1.33.1'; touch '" + ran, 0o755}
		dir := writeScripts(t, map[string]script{etcd: version, apiServer: version, kubectl: version})
		if err := os.Chmod(filepath.Join(dir, open), 0o757); err != nil {
			t.Fatal(err)
		}
		_, err := OpenAssets(t.Context(), dir)
		if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, open)) || !strings.Contains(err.Error(), "chmod -R o-w") {
			t.Errorf("%q: got %v", open, err)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Errorf("%q: a program ran before that", open)
		}
	}
}

// linkAssets returns a directory with some of the programs that Build returns.
func linkAssets(t *testing.T, o Options, names ...string) Assets {
	t.Helper()
	built, err := Build(t.Context(), o.Cache, o.Release, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range names {
		if err := os.Symlink(built.pathOf(name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	assets, err := OpenAssets(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return assets
}

func TestUpFromExecutablesBuildsNothing(t *testing.T) {
	for _, test := range []struct {
		name        string
		programs    []string
		controllers bool
	}{
		{"with-controllers", []string{etcd, apiServer, controllerManager}, true},
		{"without-controllers", []string{etcd, apiServer}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := realOptions(t, test.name)
			o.Assets = linkAssets(t, o, test.programs...)
			o.Cache = Cache{Dir: filepath.Join(t.TempDir(), "never made")}
			t.Setenv("PATH", t.TempDir()) // where there is no Go
			plan, err := PlanUp(t.Context(), o)
			if err != nil || plan.Build || !plan.Start || plan.Assets != o.Assets.Dir || plan.Version != Version {
				t.Errorf("PlanUp = %+v, %v", plan, err)
			}
			instance := up(t, o).Instance
			if instance.HasControllers() != test.controllers || instance.Assets != o.Assets.Dir || instance.Version != Version {
				t.Errorf("Up = %+v", instance)
			}
			expectPod(t, instance)
			if again, err := Up(t.Context(), o); err != nil || !again.Existed {
				t.Errorf("Up again = %+v, %v", again, err)
			}
			if _, err := os.Stat(o.Cache.Dir); !os.IsNotExist(err) {
				t.Errorf("something was built: %v", err)
			}
		})
	}
}

// expectPod fails unless the API server accepts a Pod, which names no ServiceAccount.
func expectPod(t *testing.T, instance *Instance) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", instance.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	admin, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, admin, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pod"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "image"}}},
	})
}

func TestCacheContains(t *testing.T) {
	root := t.TempDir()
	cache := Cache{Dir: filepath.Join(root, "cache")}
	bin := filepath.Join(cache.buildsDir(), "v1.0.0-0123", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(bin, link); err != nil {
		t.Fatal(err)
	}
	for dir, expected := range map[string]bool{
		bin:  true,
		link: true,
		filepath.Join(cache.buildsDir(), "v0.9.0-deleted", "bin"): true,
		cache.buildsDir():                false,
		cache.Dir:                        false,
		root:                             false,
		filepath.Join(root, "elsewhere"): false,
	} {
		if got := cache.Contains(dir); got != expected {
			t.Errorf("Contains(%s) = %t", dir, got)
		}
	}
}
