package modules

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
)

// A replacement by an older version of the module itself counts before any requirement, so that a raised requirement
// alone does not build.
func TestPinsAreRaisedToWhatTheRuntimeNeeds(t *testing.T) {
	own, err := modfile.Parse("project.mod", projectMod, nil)
	if err != nil {
		t.Fatal(err)
	}
	needed := map[string]string{}
	for _, r := range own.Require {
		needed[r.Mod.Path] = r.Mod.Version
	}
	const before = `module example.com/orchard

go 1.26.0

require k8s.io/api v0.35.0

replace (
	example.com/other => ../other
	github.com/google/go-cmp => github.com/google/go-cmp v0.5.0
	k8s.io/api => k8s.io/api v0.34.0
	k8s.io/apimachinery => example.com/fork/apimachinery v0.34.0
	k8s.io/client-go => k8s.io/client-go v0.99.0
)
`
	after, err := Release{Version: "v0.1.0"}.Require([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Pins(after)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"k8s.io/api": needed["k8s.io/api"], "k8s.io/client-go": "v0.99.0", "github.com/google/go-cmp": "v0.5.0"}
	if version, ok := needed["github.com/google/go-cmp"]; ok {
		want["github.com/google/go-cmp"] = version
	}
	if diff := cmp.Diff(want, got); diff != "" || needed["k8s.io/api"] == "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestModulesOfKubernetesMoveTogether(t *testing.T) {
	for _, test := range []struct {
		path, version string
		behind        bool
	}{
		{"k8s.io/kubectl", "v0.35.0", true},
		{"k8s.io/cli-runtime", "v0.37.1", true},
		{"k8s.io/client-go", "v0.37.2", false},
		{"k8s.io/component-base", "v0.38.0", false},
		{"k8s.io/klog/v2", "v2.130.1", false},
		{"k8s.io/utils", "v0.0.0-20260101000000-abcdef012345", false},
		{"k8s.io/kube-openapi", "v0.0.0-20260101000000-abcdef012345", false},
		{"k8s.io/gengo", "v0.9.0", false},
		{"k8s.io/metrics", "v0.36.0-alpha.1", false},
		{"sigs.k8s.io/gateway-api", "v0.19.0", false},
	} {
		if got := IsBehind(test.path, test.version, "v0.37.2"); got != test.behind {
			t.Errorf("%s %s is behind: %v", test.path, test.version, got)
		}
	}
	const before = "module example.com/orchard\n\nrequire k8s.io/kubectl v0.35.0 // indirect\n\nreplace k8s.io/kubectl => k8s.io/kubectl v0.34.0\n"
	after, err := RaiseKubernetes([]byte(before), []string{"k8s.io/kubectl", "k8s.io/metrics"}, "v0.37.2")
	if err != nil {
		t.Fatal(err)
	}
	for path := range map[string]bool{"k8s.io/kubectl": true, "k8s.io/metrics": true} {
		if version, err := Required(after, path); err != nil || version != "v0.37.2" {
			t.Errorf("%s is required in %q, %v", path, version, err)
		}
	}
	if pins, err := Pins(after); err != nil || pins["k8s.io/kubectl"] != "v0.37.2" {
		t.Errorf("%v, %v", pins, err)
	}
}
