package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/cluster"
)

// contactRuns are runs of each command: those with everything that can lead to the network.
var contactRuns = map[string][]string{
	"init":                  {"init ../new --module example.com/new --ci github", "init ../new --module example.com/new --template example.com/house/templates@v1.0.0"},
	"create api":            {"create api --group tea.example.com --version v1 --kind Pot", "create api -f ../route.yaml --force"},
	"create controller":     {"create controller more --parent v1/Pod --child v1/Service"},
	"generate":              {"generate", "generate --no-cache"},
	"upgrade":               {"upgrade", "upgrade latest", "upgrade v1.2.3"},
	"diff":                  {"diff", "diff --no-cache", "diff --crd cluster"},
	"check":                 {"check", "check --no-cache"},
	"import":                {"import ../crd.yaml", "import https://kustomize.contacts.test/crd.yaml"},
	"crd":                   {"crd api/route.yaml", "crd https://kustomize.contacts.test/route.yaml"},
	"schema":                {"schema"},
	"delete api":            {"delete api --kind Cup", "delete api --kind Route"},
	"delete controller":     {"delete controller pods"},
	"image":                 {"image --tag push.contacts.test/op:v1 --platform linux/amd64", "image --tag push.contacts.test/op:v1 --push", "image --tag a/op:v1 --base base.contacts.test/base:v1", "image --tag a/op:v1 --base base.contacts.test/base@sha256:" + someDigest},
	"package manifests":     {"package manifests", "package manifests remote"},
	"package helm":          {"package helm --version 1.0.0 --image push.contacts.test/op:v1", "package helm remote --version 1.0.0 --image push.contacts.test/op:v1"},
	"package olm":           {"package olm --version 1.0.0 --image push.contacts.test/op:v1", "package olm remote --version 1.0.0 --image push.contacts.test/op:v1"},
	"install":               {"install"},
	"uninstall":             {"uninstall"},
	"deploy":                {"deploy", "deploy remote", "deploy remote --allow-remote"},
	"undeploy":              {"undeploy", "undeploy remote", "undeploy remote --allow-remote"},
	"cluster up":            {"cluster up"},
	"cluster down":          {"cluster down"},
	"cluster status":        {"cluster status"},
	"cluster env":           {"cluster env"},
	"cluster load":          {"cluster load ../image.tar"},
	"cluster ready":         {"cluster ready pod/a", "kubectl: cluster ready pod/a"},
	"cluster kubectl":       {"cluster kubectl get pods", "kubectl: cluster kubectl get pods --request-timeout=5s"},
	"version":               {"version"},
	"completion bash":       {"completion bash"},
	"completion fish":       {"completion fish"},
	"completion powershell": {"completion powershell"},
	"completion zsh":        {"completion zsh"},
}

var someDigest = strings.Repeat("0123456789abcdef", 4)

// contactFiles are the files of the project in which the commands run: its types need a module, its packages are made
// already, and the folder remote is a kustomization with a URL.
var contactFiles = map[string]string{
	"op/opgen.yaml":                   "apiVersion: opgen.dev/v1alpha1\nkind: Project\nname: op\nmodule: example.com/op\ndomain: example.com\n",
	"op/api/cup.yaml":                 "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: tea.example.com\nnames: {kind: Cup}\nversions:\n- name: v1\n  spec: {properties: {size: int32}}\n",
	"op/api/route.yaml":               "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: tea.example.com\nnames: {kind: Route}\nversions:\n- name: v1\n  spec: {properties: {target: example.com/op/shared.Endpoint}}\n",
	"op/controllers/pods.yaml":        "apiVersion: opgen.dev/v1alpha1\nkind: Controller\nname: pods\nparents: [{apiVersion: v1, kind: Pod}]\noperator: {children: [{apiVersion: v1, kind: Service}]}\n",
	"op/shared/types.go":              "package shared\n\nimport corev1 \"k8s.io/api/core/v1\"\n\ntype Endpoint struct {\n\tProtocol corev1.Protocol `json:\"protocol\"`\n}\n",
	"op/go.mod":                       "module example.com/op\n\ngo 1.26.0\n\nrequire k8s.io/api v0.37.0\n",
	"op/main.go":                      "package main\n\nimport _ \"example.com/op/shared\"\n\nfunc main() {}\n",
	"op/tools.mod":                    "module example.com/op/tools\n\ngo 1.26.0\n\ntool github.com/opgen-dev/opgen/cmd/opgen\n\nrequire github.com/opgen-dev/opgen v1.0.0\n",
	"op/opgen.lock":                   "opgen: v1.0.0\n",
	"op/deploy/kustomization.yaml":    "resources: [manager.yaml]\n",
	"op/deploy/manager.yaml":          "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: op, namespace: op-system}\nspec:\n  template:\n    spec:\n      containers: [{name: manager, image: \"op:latest\"}]\n",
	"op/deploy/zz_generated.crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: cups.tea.example.com}\n",
	"op/remote/kustomization.yaml":    "resources: [../deploy, \"https://kustomize.contacts.test/x.yaml\"]\n",
	"kubeconfig":                      "apiVersion: v1\nkind: Config\nclusters: [{name: a, cluster: {server: \"https://api.contacts.test\"}}]\nusers: [{name: a, user: {token: a}}]\ncontexts: [{name: a, context: {cluster: a, user: a}}]\ncurrent-context: a\n",
	"crd.yaml":                        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b}\n",
	"image.tar":                       "",
	"route.yaml":                      "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: tea.example.com\nnames: {kind: Other}\nversions:\n- name: v1\n  spec: {properties: {target: example.com/op/shared.Endpoint}}\n",
}

func writeContactProject(t *testing.T, dir string) {
	t.Helper()
	for name, text := range contactFiles {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// findKubectlProgram returns a kubectl that opgen cluster has built on this machine, or that is installed, and "" if there
// is none.
func findKubectlProgram() string {
	if cache, err := cluster.DefaultCache(); err == nil {
		if found, err := filepath.Glob(filepath.Join(cache.Dir, "kubernetes", "*", "bin", "kubectl")); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	found, err := exec.LookPath("kubectl")
	if err != nil {
		return ""
	}
	return found
}
