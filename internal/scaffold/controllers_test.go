package scaffold

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

func TestPlanReportsEveryErrorInControllers(t *testing.T) {
	const project = "apiVersion: opgen.dev/v1alpha1\nkind: Project\nname: p\nmodule: example.com/p\ndomain: example.com\nwatch: namespace\n"
	const controller = `apiVersion: opgen.dev/v1alpha1
kind: Controller
name: invalid
parents:
- {apiVersion: apps/v1, kind: StatefulSett}
- {apiVersion: apps/v1, kind: Deployment, scope: Cluster}
- {apiVersion: v1, kind: Secret, plural: secret}
- {apiVersion: v1, kind: Node}
- {apiVersion: example.org/v1, kind: Widget, plural: widgets, scope: Cluster}
- {apiVersion: example.org/v1, kind: Gadget, plural: gadgets, scope: Namespaced, goType: example.org/gadget/v1.Gadget}
operator:
  children:
  - {apiVersion: batch/v1, kind: Jop}
  related:
  - {apiVersion: v1, kind: ConfigMap, nameFrom: .spec.paused}
`
	in := inputOf(t, &txtar.Archive{Files: []txtar.File{
		{Name: "opgen.yaml", Data: []byte(project)}, {Name: "controllers/invalid.yaml", Data: []byte(controller)},
	}})
	_, err := Plan(Source{Input: in})
	if err == nil {
		t.Fatal("no error")
	}
	const want = `controllers/invalid.yaml:5:31: parents[0].kind: Kubernetes has no kind "StatefulSett" in apps/v1
    did you mean "StatefulSet"? for a kind of someone else's, give plural: and scope:
controllers/invalid.yaml:6:50: parents[1].scope: kind Deployment is namespaced
    leave scope out: it is known
controllers/invalid.yaml:7:42: parents[2].plural: the plural of Secret is secrets
    leave plural out: it is known
controllers/invalid.yaml:8:26: parents[3].kind: an operator with watch: namespace cannot see cluster-scoped objects
    write watch: cluster in opgen.yaml
controllers/invalid.yaml:9:38: parents[4].kind: an operator with watch: namespace cannot see cluster-scoped objects
    write watch: cluster in opgen.yaml
controllers/invalid.yaml:13:34: operator.children[0].kind: Kubernetes has no kind "Jop" in batch/v1
    did you mean "Job"? for a kind of someone else's, give plural: and scope:
controllers/invalid.yaml:15:49: operator.related[0].nameFrom: .spec.paused is a boolean, and names are text or a list of it
    write string or []string as its type
controllers/invalid.yaml:15:49: operator.related[0].nameFrom: .spec.paused leads to no field of Secret: there is no "spec"
    known: apiVersion, data, immutable, kind, metadata, stringData, type
controllers/invalid.yaml:15:49: operator.related[0].nameFrom: .spec.paused leads to no field of Node: there is no "paused"
    known: configSource, externalID, podCIDR, podCIDRs, podPreemptionPolicy, providerID, taints, unschedulable
`
	if diff := cmp.Diff(want, err.Error()+"\n"); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlanIsTheSameInAnyOrderOfTheControllers(t *testing.T) {
	archive, err := txtar.ParseFile("../../testdata/golden/controllers.txtar")
	if err != nil {
		t.Fatal(err)
	}
	in := inputOf(t, archive)
	if len(in.Controllers) < 3 {
		t.Fatalf("%d controllers", len(in.Controllers))
	}
	first, err := Plan(Source{Input: in})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(in.Controllers)
	again, err := Plan(Source{Input: in})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range again.Files() {
		got, err := f.Rendered()
		want, errBefore := first.Files()[i].Rendered()
		if err != nil || errBefore != nil {
			t.Fatal(err, errBefore)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from one order to the other", f.Path)
		}
	}
}
