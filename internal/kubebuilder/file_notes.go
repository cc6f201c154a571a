package kubebuilder

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// FileNote is a file or a folder of the project, and what becomes of it.
type FileNote struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// superfluous are files that opgen's take the place of in any case, once opgen's are deployed.
var superfluous = []FileNote{
	{"config/rbac/leader_election_role.yaml", "deploy/zz_generated.rbac.yaml has them"},
	{"config/manager", "deploy/zz_generated.manager.yaml, with your patches in deploy/kustomization.yaml"},
	{"config/default", "deploy/kustomization.yaml; deploy/zz_generated.manager.yaml has the Service of metrics"},
	{"config/prometheus", "deploy/components/service-monitor has the ServiceMonitor, once deploy/kustomization.yaml lists it"},
	{"config/network-policy", "deploy/components/network-policies has a NetworkPolicy, once deploy/kustomization.yaml lists it; it also closes what the operator calls"},
	{"config/rbac/metrics_reader_role.yaml", "deploy/zz_generated.manager.yaml has it"},
	{"config/samples", "deploy/samples, which starts with them where they are valid"},
}

// dependent are files that opgen's take the place of as far as opgen makes what they have.
var dependent = []struct {
	path, superfluous string
	// remains says what of the file opgen does not make; empty if it makes all.
	remains func(tree fs.FS, made Made, file string) string
}{
	{"config/crd/bases", "deploy/zz_generated.crd.yaml has the CRDs; test suites with envtest still read the folder", remainingCRDs},
	{"config/crd/patches", "deploy/zz_generated.crd.yaml has the conversion, by the methods of your Go types", remainingPatches},
	{"config/webhook", "deploy/zz_generated.manager.yaml has the Service and the configurations, by your +kubebuilder:webhook markers; test suites with envtest still read the folder", remainingWebhooks},
	{"config/certmanager", "deploy/zz_generated.manager.yaml has the Issuer and the Certificate of webhooks; deploy/components/service-monitor-cert-manager has those of metrics", remainingCertificates},
	{"config/rbac/role.yaml", "deploy/zz_generated.rbac.yaml has the permissions, those of your +kubebuilder:rbac markers too", remainingPermissions},
}

func remainingCRDs(tree fs.FS, made Made, file string) string {
	if others := made.otherCRDs(tree, file); len(others) > 0 {
		return "opgen makes all CRDs in it but " + listed(others) + ": keep the files of those, and list them in deploy/kustomization.yaml"
	}
	return ""
}

func remainingPatches(tree fs.FS, made Made, file string) string {
	if others := otherPatches(tree, file); len(others) > 0 {
		return "patches of CRDs for more than conversion (" + listed(others) + "): add them to deploy/kustomization.yaml"
	}
	if _, converts := made.crds(); !converts {
		return "patches of CRDs for a conversion, and no Go type here has the methods Hub, ConvertTo and ConvertFrom"
	}
	return ""
}

func remainingWebhooks(_ fs.FS, made Made, _ string) string {
	_, converts := made.crds()
	if converts || made.has("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration") {
		return ""
	}
	return "webhooks, and no +kubebuilder:webhook marker here says which: write the markers, or keep the folder"
}

func remainingCertificates(_ fs.FS, made Made, _ string) string {
	if made.has("Certificate") {
		return ""
	}
	return "certificates: opgen makes those of webhooks, and no webhook is found here; deploy/components/service-monitor-cert-manager has those of metrics"
}

func remainingPermissions(tree fs.FS, made Made, file string) string {
	if others := made.otherPermissions(tree, file); len(others) > 0 {
		return "permissions for " + listed(others) + ", of which no +kubebuilder:rbac marker is found: write the markers, or keep the file"
	}
	return ""
}

// unmade are files with what opgen does not make.
var unmade = []FileNote{
	{"config/scorecard", "tests of operator-sdk"},
	{"config/manifests", "bases of an OLM bundle"},
	{"bundle", "OLM bundle"},
	{"dist/chart", "Helm chart"},
	{"charts", "Helm chart"},
	{"grafana", "dashboards of your own metrics; deploy/components/grafana-dashboard has one of the operator's"},
	{"test/e2e", "tests in a cluster of kind"},
	{".github/workflows", "workflows of GitHub"},
	{".devcontainer", "development container"},
	{".golangci.yml", "settings of golangci-lint"},
}

// Superfluous returns the files of a project that opgen's take the place of, given what opgen makes. main is the file of
// the author's main, and may be empty.
func Superfluous(tree fs.FS, made Made, main string) []FileNote {
	var found []FileNote
	for _, d := range dependent {
		if exists(tree, d.path) && d.remains(tree, made, d.path) == "" {
			found = append(found, FileNote{d.path, d.superfluous})
		}
	}
	found = append(found, existing(tree, superfluous)...)
	if roles, _ := fs.Glob(tree, "config/rbac/*_editor_role.yaml"); len(roles) > 0 { // the pattern is valid
		found = append(found, FileNote{"config/rbac/*_{admin,editor,viewer}_role.yaml", "deploy/components/api-roles has them under the same names, once deploy/kustomization.yaml lists it"})
	}
	if main != "" {
		found = append(found, FileNote{main, "main.go, which calls setup in " + SetupFile})
	}
	for _, target := range []string{"manifests", "generate"} {
		if at := targetLine(tree, target, "controller-gen"); at != "" {
			found = append(found, FileNote{at, "make opgen-generate; no more controller-gen"})
		}
	}
	return found
}

// Unmade returns the files of a project with what opgen does not make, given what it makes.
func Unmade(tree fs.FS, made Made) []FileNote {
	var found []FileNote
	for _, d := range dependent {
		if !exists(tree, d.path) {
			continue
		}
		if remains := d.remains(tree, made, d.path); remains != "" {
			found = append(found, FileNote{d.path, remains})
		}
	}
	return append(found, existing(tree, unmade)...)
}

// existing returns the notes on files that a tree has.
func existing(tree fs.FS, all []FileNote) (found []FileNote) {
	for _, l := range all {
		if exists(tree, l.Path) {
			found = append(found, l)
		}
	}
	return found
}

func exists(tree fs.FS, name string) bool {
	_, err := fs.Stat(tree, name)
	return err == nil
}

// targetLine returns where the Makefile has a target that needs another, such as Makefile:48; empty if
// it has none.
func targetLine(tree fs.FS, target, needs string) string {
	for i, line := range readLines(tree, "Makefile") {
		if strings.HasPrefix(line, target+":") && strings.Contains(line, needs) {
			return "Makefile:" + strconv.Itoa(i+1)
		}
	}
	return ""
}

// LineChange is a line of an author's file that the author may change to build opgen's main.
type LineChange struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// MainLines returns the lines of the Makefile and the Dockerfile that build or run the author's main,
// and how they read for opgen's.
func MainLines(tree fs.FS, main string) []LineChange {
	if main == "" {
		return nil
	}
	var changes []LineChange
	for _, file := range []string{"Makefile", "Dockerfile"} {
		for i, line := range readLines(tree, file) {
			changed := line
			switch {
			case strings.HasPrefix(line, "#"):
			case strings.Contains(line, "go build") || strings.Contains(line, "go run"):
				changed = withoutMain(line, main)
			case strings.HasPrefix(line, "COPY "+main+" "):
				changed = "COPY *.go ./"
			}
			if changed != line {
				changes = append(changes, LineChange{file, i + 1, strings.TrimSpace(line), strings.TrimSpace(changed)})
			}
		}
	}
	return changes
}

// withoutMain returns a command with the package of opgen's main in the place of the author's.
func withoutMain(line, main string) string {
	words := strings.Split(line, " ")
	for i, word := range words {
		switch strings.TrimSuffix(strings.TrimPrefix(word, "./"), "/") {
		case main, path.Dir(main):
			words[i] = "."
		}
	}
	return strings.Join(words, " ")
}

func readLines(tree fs.FS, name string) []string {
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil // the project has no such file
	}
	return strings.Split(string(data), "\n")
}

// HasInclude reports whether the Makefile of a project includes opgen's targets.
func HasInclude(tree fs.FS) bool {
	for _, line := range readLines(tree, "Makefile") {
		if fields := strings.Fields(line); len(fields) > 1 && strings.HasSuffix(fields[0], "include") && fields[1] == "zz_generated.mk" {
			return true
		}
	}
	return false
}
