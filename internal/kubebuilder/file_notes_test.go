package kubebuilder

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func crd(name string) string {
	return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: " + name + "\n"
}

func role(group, resource string) string {
	return "kind: ClusterRole\nmetadata: {name: role}\nrules:\n- apiGroups: [\"" + group + "\"]\n  resources: [" + resource + "]\n  verbs: [get]\n"
}

// orchardFiles has a file of each sort; made are opgen's manifests that have all that they have.
var orchardFiles = map[string]string{
	"config/crd/bases/trees.yaml": crd("trees.garden.example.com"), "config/crd/patches/webhook_in_trees.yaml": "x", "config/webhook/manifests.yaml": "x",
	"config/certmanager/certificate.yaml": "x", "config/rbac/role.yaml": "---\n" + role("", "pods") + "---\n" + role("apps", "deployments"),
	"config/prometheus/monitor.yaml": "x", "config/rbac/tree_editor_role.yaml": "x", ".golangci.yml": "x",
	"Makefile": "all: build\n\nmanifests: controller-gen ## Make manifests.\n\tx\n\ngenerate:\n\techo\n",
}

func made() Made {
	return Made{
		"deploy/zz_generated.crd.yaml":     []byte("# generated\n---\n" + crd("trees.garden.example.com") + "spec:\n  conversion:\n    strategy: Webhook\n"),
		"deploy/zz_generated.manager.yaml": []byte("kind: Certificate\n---\nkind: ValidatingWebhookConfiguration\n"),
		"deploy/zz_generated.rbac.yaml":    []byte(role("", "pods, secrets") + "---\n" + role("apps", "deployments")),
	}
}

func filesOf(contents map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, content := range contents {
		tree[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return tree
}

func TestFileNotes(t *testing.T) {
	tree := filesOf(orchardFiles)
	want := []FileNote{
		{"config/crd/bases", "deploy/zz_generated.crd.yaml has the CRDs; test suites with envtest still read the folder"},
		{"config/crd/patches", "deploy/zz_generated.crd.yaml has the conversion, by the methods of your Go types"},
		{"config/webhook", "deploy/zz_generated.manager.yaml has the Service and the configurations, by your +kubebuilder:webhook markers; test suites with envtest still read the folder"},
		{"config/certmanager", "deploy/zz_generated.manager.yaml has the Issuer and the Certificate of webhooks; deploy/components/service-monitor-cert-manager has those of metrics"},
		{"config/rbac/role.yaml", "deploy/zz_generated.rbac.yaml has the permissions, those of your +kubebuilder:rbac markers too"},
		{"config/prometheus", "deploy/components/service-monitor has the ServiceMonitor, once deploy/kustomization.yaml lists it"},
		{"config/rbac/*_{admin,editor,viewer}_role.yaml", "deploy/components/api-roles has them under the same names, once deploy/kustomization.yaml lists it"},
		{"cmd/main.go", "main.go, which calls setup in setup.go"},
		{"Makefile:3", "make opgen-generate; no more controller-gen"},
	}
	if diff := cmp.Diff(want, Superfluous(tree, made(), "cmd/main.go")); diff != "" {
		t.Errorf("superfluous (-want +got):\n%s", diff)
	}
	want = []FileNote{{".golangci.yml", "settings of golangci-lint"}}
	if diff := cmp.Diff(want, Unmade(tree, made())); diff != "" {
		t.Errorf("not made (-want +got):\n%s", diff)
	}
}

// What opgen does not make is never called superfluous.
func TestNotesLookAtWhatIsMade(t *testing.T) {
	tests := []struct {
		name   string
		add    map[string]string // to the project
		leave  string            // of what is made
		path   string
		remain string
	}{
		{"a CRD of no type", map[string]string{"config/crd/bases/other.yaml": crd("others.else.org")}, "", "config/crd/bases",
			"opgen makes all CRDs in it but others.else.org: keep the files of those, and list them in deploy/kustomization.yaml"},
		{"many CRDs of no type", map[string]string{"config/crd/bases/other.yaml": crd("a.b.c") + "---\n" + crd("d.e.f") + "---\n" + crd("g.h.i") + "---\n" + crd("j.k.l") + "---\n" + crd("m.n.o")}, "", "config/crd/bases",
			"opgen makes all CRDs in it but a.b.c, d.e.f, g.h.i and 2 more: keep the files of those, and list them in deploy/kustomization.yaml"},
		{"a patch of the author's", map[string]string{"config/crd/patches/approval_in_trees.yaml": "x"}, "", "config/crd/patches",
			"patches of CRDs for more than conversion (approval_in_trees.yaml): add them to deploy/kustomization.yaml"},
		{"no conversion", nil, "deploy/zz_generated.crd.yaml", "config/crd/patches",
			"patches of CRDs for a conversion, and no Go type here has the methods Hub, ConvertTo and ConvertFrom"},
		{"no certificate", nil, "deploy/zz_generated.manager.yaml", "config/certmanager",
			"certificates: opgen makes those of webhooks, and no webhook is found here; deploy/components/service-monitor-cert-manager has those of metrics"},
		{"permissions without markers", map[string]string{"config/rbac/role.yaml": role("batch", "jobs, cronjobs")}, "", "config/rbac/role.yaml",
			"permissions for jobs.batch, cronjobs.batch, of which no +kubebuilder:rbac marker is found: write the markers, or keep the file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tree, made := filesOf(orchardFiles), made()
			for name, content := range test.add {
				tree[name] = &fstest.MapFile{Data: []byte(content)}
			}
			delete(made, test.leave)
			for _, note := range Superfluous(tree, made, "") {
				if note.Path == test.path {
					t.Errorf("called superfluous: %s", note.Text)
				}
			}
			found := ""
			for _, note := range Unmade(tree, made) {
				if note.Path == test.path {
					found = note.Text
				}
			}
			if found != test.remain {
				t.Errorf("%q remains, want %q", found, test.remain)
			}
		})
	}
}

func TestMainLines(t *testing.T) {
	tree := fstest.MapFS{
		"Makefile":   {Data: []byte("# go build cmd/main.go\nbuild:\n\tgo build -o bin/manager cmd/main.go\nrun:\n\tgo run ./cmd/main.go -v\nother:\n\tgo build ./cmd/tool\n")},
		"Dockerfile": {Data: []byte("COPY cmd/main.go cmd/main.go\nCOPY api/ api/\nRUN CGO_ENABLED=0 go build -a -o manager ./cmd\n")},
	}
	want := []LineChange{
		{"Makefile", 3, "go build -o bin/manager cmd/main.go", "go build -o bin/manager ."},
		{"Makefile", 5, "go run ./cmd/main.go -v", "go run . -v"},
		{"Dockerfile", 1, "COPY cmd/main.go cmd/main.go", "COPY *.go ./"},
		{"Dockerfile", 3, "RUN CGO_ENABLED=0 go build -a -o manager ./cmd", "RUN CGO_ENABLED=0 go build -a -o manager ."},
	}
	if diff := cmp.Diff(want, MainLines(tree, "cmd/main.go")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := MainLines(tree, ""); got != nil {
		t.Errorf("without a main: %v", got)
	}
}

func TestFilesInTheRoot(t *testing.T) {
	tree := fstest.MapFS{
		"go.mod":                      {Data: []byte("module example.com/orchard\n")},
		"api/tree.yaml":               {Data: []byte("apiVersion: opgen.dev/v1alpha1\nkind: API\n")},
		"controllers/issuer.yaml":     {Data: []byte("kind: Issuer\n")},
		"main.go":                     {Data: []byte("package main\n")},
		"doc.go":                      {Data: []byte("// Package orchard is a library.\npackage orchard\n")},
		"tools.go":                    {Data: []byte("//go:build tools\n\npackage tools\n")},
		"setup.go":                    {Data: []byte("package main\n\nimport \"github.com/opgen-dev/opgen/runtime/operator\"\n")},
		"zz_generated.controllers.go": {Data: []byte("package main\n")},
		"some_test.go":                {Data: []byte("package orchard\n")},
		"Makefile":                    {Data: []byte("run:\n\tgo run ./main.go\nbuild:\n\tgo build main.go\n")},
		"Dockerfile":                  {Data: []byte("COPY main.go main.go\n")},
	}
	var got []string
	for _, p := range CheckRoot(tree) {
		got = append(got, p.String())
	}
	want := []string{
		"controllers/issuer.yaml: is in a folder of which opgen reads all YAML files as spec files\n    move it to a folder below, such as controllers/embedded, and change its name where it is embedded or read",
		"doc.go: is in the folder in which opgen puts its own main\n    move the package, and change its import path:\n" +
			"    mkdir -p orchard && git mv doc.go orchard/ && git grep -lF '\"example.com/orchard\"' | xargs perl -pi -e 's#\"\\Qexample.com/orchard\\E\"#\"example.com/orchard/orchard\"#g'",
		"main.go: is in the folder in which opgen puts its own main\n    git mv main.go cmd/main.go, and write cmd/main.go in Makefile:2, Makefile:4, Dockerfile:1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
