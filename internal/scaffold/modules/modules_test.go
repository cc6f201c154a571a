package modules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"

	"github.com/opgen-dev/opgen"
)

// Projects are pinned to what opgen itself is tested with.
func TestProjectsHaveOpgensVersions(t *testing.T) {
	own := versions(t, opgen.GoMod)
	for path, version := range versions(t, projectMod) {
		if own[path] != "" && own[path] != version {
			t.Errorf("project.mod has %s %s, opgen is tested with %s: run go test ./internal/scaffold -run GeneratedProject -update", path, version, own[path])
		}
	}
	for _, path := range []string{"k8s.io/api", "k8s.io/apimachinery", "sigs.k8s.io/controller-runtime"} {
		if own[path] == "" || versions(t, projectMod)[path] == "" {
			t.Errorf("%s is missing", path)
		}
	}
}

func TestModuleFilesOfARelease(t *testing.T) {
	r := Release{Version: "v0.1.0", Sum: "h1:abc="}
	for name, render := range map[string]func(string) ([]byte, error){"go.mod": r.GoMod, "tools.mod": r.ToolsMod} {
		file := parse(t, render)
		if file.Module.Mod.Path != "example.com/p" || len(file.Replace) != 0 {
			t.Errorf("%s: module %s with %d replacements", name, file.Module.Mod.Path, len(file.Replace))
		}
		if got := requiredVersions(file)[Opgen]; got != "v0.1.0" {
			t.Errorf("%s requires opgen %q, want v0.1.0", name, got)
		}
	}
	for name, render := range map[string]func() ([]byte, error){"go.sum": r.GoSum, "tools.sum": r.ToolsSum} {
		sums, err := render()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"github.com/opgen-dev/opgen v0.1.0 h1:abc=\n", "\ngithub.com/opgen-dev/opgen v0.1.0/go.mod h1:", "\nk8s.io/api "} {
			if !strings.Contains("\n"+string(sums), line) {
				t.Errorf("%s lacks %q", name, line)
			}
		}
	}
}

func TestModuleFilesOfACheckout(t *testing.T) {
	r := Release{Checkout: "/src/opgen"}
	tools := parse(t, r.ToolsMod)
	if len(tools.Tool) != 1 || tools.Tool[0].Path != Opgen+"/cmd/opgen" {
		t.Errorf("tools.mod has tools %v", tools.Tool)
	}
	if diff := cmp.Diff(len(versions(t, opgen.GoMod))+1, len(tools.Require)); diff != "" {
		t.Errorf("tools.mod does not require what opgen requires, and opgen (-want +got):\n%s", diff)
	}
	for name, file := range map[string]*modfile.File{"go.mod": parse(t, r.GoMod), "tools.mod": tools} {
		if len(file.Replace) != 1 || file.Replace[0].New.Path != "/src/opgen" {
			t.Errorf("%s does not replace opgen by the checkout: %v", name, file.Replace)
		}
	}
}

func TestRequireKeepsWhatAModuleHas(t *testing.T) {
	const module = "module example.com/p\n\ngo 1.25\n\nrequire k8s.io/api v0.30.0 // pinned\n\nreplace example.com/a => ../a\n"
	for name, test := range map[string]struct {
		release Release
		want    string
	}{
		"of a release":  {Release{Version: "v0.1.0"}, "module example.com/p\n\ngo 1.25\n\nrequire (\n\tgithub.com/opgen-dev/opgen v0.1.0\n\tk8s.io/api v0.30.0 // pinned\n)\n\nreplace example.com/a => ../a\n"},
		"of a checkout": {Release{Checkout: "/src/opgen"}, "module example.com/p\n\ngo 1.25\n\nrequire (\n\tgithub.com/opgen-dev/opgen v0.0.0\n\tk8s.io/api v0.30.0 // pinned\n)\n\nreplace example.com/a => ../a\n\nreplace github.com/opgen-dev/opgen => /src/opgen\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.release.Require([]byte(module))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, err := test.release.Require(got)
			if err != nil || string(again) != string(got) {
				t.Errorf("a second time: %v\n%s", err, again)
			}
		})
	}
}

func TestRequireDropsACheckout(t *testing.T) {
	checkout := Release{Checkout: "../.."}
	goMod, err := checkout.GoMod("example.com/p")
	if err != nil {
		t.Fatal(err)
	}
	released, err := Release{Version: "v0.2.0"}.Require(goMod)
	if err != nil || strings.Contains(string(released), "replace") || !strings.Contains(string(released), Opgen+" v0.2.0") {
		t.Errorf("got %v, expected a requirement of v0.2.0 and no replacement:\n%s", err, released)
	}
	if version, err := VersionOf("go.mod", released); err != nil || version != "v0.2.0" {
		t.Errorf("VersionOf = %q, %v", version, err)
	}
	if version, err := VersionOf("go.mod", goMod); err != nil || version != "../.." {
		t.Errorf("VersionOf = %q, %v", version, err)
	}
}

func TestMismatches(t *testing.T) {
	r := Release{Version: "v0.1.0"}
	goMod, err := r.GoMod("example.com/p")
	if err != nil {
		t.Fatal(err)
	}
	toolsMod, err := r.ToolsMod("example.com/p")
	if err != nil {
		t.Fatal(err)
	}
	kubernetes := versions(t, opgen.GoMod)["k8s.io/api"]
	tests := map[string]struct {
		release  Release
		old, new string // in go.mod
		want     []string
	}{
		"a fresh project": {release: r},
		"an old runtime": {
			release: r, old: Opgen + " v0.1.0", new: Opgen + " v0.0.9",
			want: []string{"go.mod: links the runtime of opgen v0.0.9, but tools.mod generates with opgen v0.1.0: run opgen upgrade v0.1.0"},
		},
		"an old generator": {
			release: Release{Version: "v0.2.0"},
			want:    []string{"tools.mod: generates with opgen v0.1.0, but this is opgen v0.2.0: run opgen upgrade v0.2.0, or use the opgen of the project"},
		},
		"another minor version of Kubernetes": {
			release: r, old: "k8s.io/api " + kubernetes, new: "k8s.io/api v0.99.0",
			want: []string{"go.mod: k8s.io/api v0.99.0 does not fit opgen, which is tested with " + kubernetes + ": require that"},
		},
		"a replaced Kubernetes": {
			release: r, old: "require (", new: "replace k8s.io/api => k8s.io/api v0.1.0\n\nrequire (",
			want: []string{"go.mod: k8s.io/api v0.1.0 does not fit opgen, which is tested with " + kubernetes + ": require that"},
		},
		"another patch of Kubernetes": {release: r, old: "k8s.io/api " + kubernetes, new: "k8s.io/api " + kubernetes + "9"},
		"no opgen": {
			release: r, old: Opgen + " v0.1.0", new: "example.com/other v0.1.0",
			want: []string{"go.mod: does not require " + Opgen},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(string(goMod), test.old, test.new, 1)
			var got []string
			for _, mismatch := range test.release.Mismatches([]byte(changed), toolsMod) {
				got = append(got, mismatch.Path+": "+mismatch.Message)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func parse(t *testing.T, render func(string) ([]byte, error)) *modfile.File {
	t.Helper()
	data, err := render("example.com/p")
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func versions(t *testing.T, data []byte) map[string]string {
	t.Helper()
	return requiredVersions(parse(t, func(string) ([]byte, error) { return data, nil }))
}
