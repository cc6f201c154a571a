package permissions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestCompare takes the roles before and after from each archive, and what is expected of them.
func TestCompare(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{}
			for _, file := range txtar.Parse(data).Files {
				files[file.Name] = file.Data
			}
			before, err := Parse(files["before"])
			if err != nil {
				t.Fatal(err)
			}
			after, err := Parse(files["after"])
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, change := range Compare(before, after) {
				got.WriteString(change.String() + "\n")
			}
			if got.String() != string(files["changes"]) {
				t.Errorf("got\n%s\nexpected\n%s", &got, files["changes"])
			}
			if same := Compare(after, after); len(same) > 0 {
				t.Errorf("the same roles differ: %v", same)
			}
		})
	}
}

func TestParseRefusesWhatIsNoYAML(t *testing.T) {
	if _, err := Parse([]byte("kind: Role\n  rules: [")); err == nil {
		t.Error("no error")
	}
}

func TestDanger(t *testing.T) {
	for text, want := range map[string]string{
		" secrets  list":                  "reads passwords",
		" secrets db get":                 "",
		" secrets  create":                "",
		" pods  create":                   "runs programs",
		" pods  delete":                   "",
		"apps deployments  patch":         "runs programs",
		"batch cronjobs  create":          "runs programs",
		" pods/exec  create":              "runs programs in the Pods",
		" pods/proxy  get":                "reaches the ports",
		" services/proxy  create":         "reaches the ports",
		" pods/portforward  create":       "reaches the ports",
		" pods/log  get":                  "",
		" persistentvolumes  create":      "files of nodes",
		" persistentvolumes  delete":      "",
		" persistentvolumeclaims  create": "",
		" namespaces  patch":              "lifts",
		" namespaces  update":             "lifts",
		" namespaces  create":             "",
		" nodes  patch":                   "decides which Pods",
		" nodes/status  patch":            "decides which Pods",
		" nodes  list":                    "",
		"certificates.k8s.io certificatesigningrequests/approval  update":    "signs certificates",
		"certificates.k8s.io signers example.com/a approve":                  "signs certificates",
		"certificates.k8s.io certificatesigningrequests  create":             "",
		"authentication.k8s.io userextras/scopes  impersonate":               "acts as somebody else",
		"admissionregistration.k8s.io validatingadmissionpolicies  create":   "decides over",
		"apiregistration.k8s.io apiservices  create":                         "adds kinds",
		" pods/ephemeralcontainers  patch":                                   "runs programs in the Pods",
		" replicationcontrollers  update":                                    "runs programs",
		" serviceaccounts/token  create":                                     "acts as any ServiceAccount",
		" nodes/proxy  get":                                                  "runs programs in any Pod",
		" users  impersonate":                                                "acts as somebody else",
		" serviceaccounts admin impersonate":                                 "acts as somebody else",
		"rbac.authorization.k8s.io clusterroles  escalate":                   "grants rights",
		"rbac.authorization.k8s.io clusterroles admin bind":                  "grants rights",
		"rbac.authorization.k8s.io roles  get":                               "",
		"admissionregistration.k8s.io mutatingwebhookconfigurations x patch": "decides over",
		"apiextensions.k8s.io customresourcedefinitions  create":             "adds kinds",
		"example.com *  get":                                                 "added later",
		"example.com sites  *":                                               "added later",
		"example.com secrets  get":                                           "",
	} {
		words := strings.Split(text, " ")
		p := Permission{Target{Group: words[0], Resource: words[1], Name: words[2]}, words[3]}
		if got := Danger(p); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, expected %q", text, got, want)
		}
	}
}
