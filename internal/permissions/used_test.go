package permissions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindUnused(t *testing.T) {
	here := Target{Namespace: "web-system"}
	role := func(at Target, group, resource, name string, verbs ...string) (all []Permission) {
		at.Group, at.Resource, at.Name = group, resource, name
		for _, verb := range verbs {
			all = append(all, Permission{at, verb})
		}
		return all
	}
	uses := []Use{
		{Verb: "create", Resource: "pods", Namespace: "anywhere"},
		{Verb: "get", Resource: "secrets", Namespace: "web-system", Name: "db"},
		{Verb: "watch", Group: "demo.example.com", Resource: "shops"},
		{Verb: "list", Group: "apps", Resource: "deployments", Namespace: "web-system"},
	}
	for name, test := range map[string]struct {
		roles        []Permission
		want, reason string // the only unused one
	}{
		"used anywhere":                      {role(Target{}, "", "pods", "", "create"), "", ""},
		"used elsewhere":                     {role(here, "", "pods", "", "create"), "create pods in namespace web-system", ""},
		"verbs together":                     {role(Target{}, "", "pods", "", "get", "create", "delete"), "get,delete pods cluster-wide", ""},
		"of one name":                        {role(here, "", "secrets", "db", "get"), "", ""},
		"of another name":                    {role(here, "", "secrets", "mail", "get"), "get secrets named mail in namespace web-system", ""},
		"a subresource":                      {role(Target{}, "", "pods/eviction", "", "create"), "create pods/eviction cluster-wide", ""},
		"of another group":                   {role(Target{}, "extensions", "deployments", "", "list"), "list deployments.extensions cluster-wide", ""},
		"every group":                        {role(Target{}, "*", "deployments", "", "list"), "", ""},
		"a role that nothing binds":          {role(Target{Role: "viewer"}, "", "nodes", "", "get"), "", ""},
		"leader election":                    {role(here, "coordination.k8s.io", "leases", "", "update"), "update leases.coordination.k8s.io in namespace web-system", "leader election"},
		"leases of others":                   {role(here, "coordination.k8s.io", "leases", "", "delete"), "delete leases.coordination.k8s.io in namespace web-system", ""},
		"what a cache needs without streams": {role(Target{}, "demo.example.com", "shops", "", "list", "watch"), "list shops.demo.example.com cluster-wide", "does not stream"},
		"a list without a watch":             {role(Target{}, "demo.example.com", "shops", "", "list"), "list shops.demo.example.com cluster-wide", ""},
		"an URL":                             {[]Permission{{Target{URL: "/metrics"}, "get"}}, "get /metrics", "not recorded"},
	} {
		t.Run(name, func(t *testing.T) {
			unused := FindUnused(test.roles, uses)
			if test.want == "" && len(unused) == 0 {
				return
			}
			if len(unused) != 1 || strings.Join(unused[0].Verbs, ",")+" "+unused[0].Target.String() != test.want ||
				(test.reason == "") != (unused[0].Reason == "") || !strings.Contains(unused[0].Reason, test.reason) {
				t.Errorf("got %v, expected %q for %q", unused, test.want, test.reason)
			}
		})
	}
}

// A patch of a parent needs a finalizer that an operator of today may never set; that of another resource has no reason.
func TestFindUnusedKnowsParents(t *testing.T) {
	shops, pods := Target{Group: "demo.example.com", Resource: "shops"}, Target{Resource: "pods"}
	status := shops
	status.Resource += "/status"
	unused := FindUnused([]Permission{{shops, "patch"}, {status, "patch"}, {pods, "patch"}},
		[]Use{{Verb: "patch", Group: "demo.example.com", Resource: "shops/status"}})
	if len(unused) != 2 || !strings.Contains(unused[0].Reason, "finalizer") || unused[1].Target != pods || unused[1].Reason != "" {
		t.Errorf("got %v", unused)
	}
}

// An operator without children reads its parents live only to name who else keeps changing them. Children are read live in
// many ways.
func TestFindUnusedKnowsLiveReads(t *testing.T) {
	shops, pods := Target{Group: "demo.example.com", Resource: "shops"}, Target{Resource: "pods"}
	uses := []Use{
		{Verb: "patch", Group: "demo.example.com", Resource: "shops"}, {Verb: "patch", Resource: "pods"}, {Verb: "create", Resource: "pods"},
	}
	jobs := Target{Group: "batch", Resource: "jobs"} // related objects that Sync may have deleted
	uses = append(uses, Use{Verb: "delete", Group: "batch", Resource: "jobs"})
	unused := FindUnused([]Permission{
		{shops, "get"}, {shops, "patch"}, {pods, "get"}, {pods, "patch"}, {pods, "create"}, {jobs, "get"}, {jobs, "delete"},
	}, uses)
	if len(unused) != 3 || !strings.Contains(unused[0].Reason, "who else") || unused[1].Target != pods || unused[1].Reason != "" ||
		!strings.Contains(unused[2].Reason, "gone") {
		t.Errorf("got %v", unused)
	}
}

func TestReadUses(t *testing.T) {
	dir := t.TempDir()
	roles, others := filepath.Join(dir, "rbac.yaml"), filepath.Join(dir, "others.yaml")
	write := func(name string, content any) {
		data, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("rbac.yaml", nil)
	write("others.yaml", nil)
	write("one.json", record{roles, []Use{{Verb: "get", Resource: "pods"}}})
	write("two.json", record{roles, []Use{{Verb: "list", Resource: "pods"}}})
	write("three.json", record{others, []Use{{Verb: "delete", Resource: "pods"}}})
	write("four.json", record{filepath.Join(dir, "gone.yaml"), []Use{{Verb: "delete", Resource: "pods"}}})
	uses, tests, err := ReadUses(dir, roles)
	if err != nil || tests != 2 || len(uses) != 2 {
		t.Errorf("read %v of %d tests, %v", uses, tests, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "half.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadUses(dir, roles); err == nil || !strings.Contains(err.Error(), "half.json") {
		t.Errorf("error %v for half a file", err)
	}
}

// A verb for children says what a test would have to do. Rules for other objects are the author's, who knows what they are for.
func TestFindUnusedSaysWhatChildrenNeed(t *testing.T) {
	jobs, nodes := Target{Group: "batch", Resource: "jobs"}, Target{Resource: "nodes"}
	unused := FindUnused([]Permission{{jobs, "get"}, {jobs, "list"}, {jobs, "create"}, {jobs, "patch"}, {nodes, "patch"}},
		[]Use{{Verb: "create", Group: "batch", Resource: "jobs"}, {Verb: "list", Group: "batch", Resource: "jobs"}})
	if len(unused) != 2 || len(unused[0].Uses) != 2 || !strings.HasPrefix(unused[0].Uses[1], "patch ") || len(unused[1].Uses) != 0 {
		t.Errorf("got %v", unused)
	}
}
