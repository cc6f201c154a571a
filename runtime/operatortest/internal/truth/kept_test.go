package truth

import (
	"testing"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

func TestKeptFieldsAreThoseOfTheAdoption(t *testing.T) {
	replicas, template := fieldpath.MakePathOrDie("spec", "replicas"), fieldpath.MakePathOrDie("spec", "template")
	h := history{now: time.Now}
	record := testcontrol.Record{UID: "1", Loop: &testcontrol.Loop{Controller: "web"}}
	for _, step := range []struct {
		name, content string
		kept          []fieldpath.Path
		written       string
		wrong         []string
	}{
		{"adopted", `spec: {replicas: 2, template: a}`, []fieldpath.Path{replicas, template}, `spec: {}`, nil},
		{"the same again", `spec: {replicas: 2, template: a}`, []fieldpath.Path{replicas, template}, `spec: {}`, nil},
		{"a change is applied", `spec: {replicas: 3, template: a}`, []fieldpath.Path{template}, `spec: {replicas: 3}`, nil},
		{"a change is not applied", `spec: {replicas: 3, template: b}`, []fieldpath.Path{template}, `spec: {replicas: 3}`, []string{"spec.template"}},
		{"all is applied", `spec: {replicas: 3, template: b}`, nil, `spec: {replicas: 3, template: b}`, nil},
		{"another is adopted", `spec: {replicas: 3, template: b}`, []fieldpath.Path{template}, `spec: {replicas: 3}`, nil},
	} {
		desired := testcontrol.Desired{Content: object(t, step.content), Kept: step.kept}
		if got := writtenPart(desired); diff.Show(got) != diff.Show(object(t, step.written)) {
			t.Errorf("%s: %v is written", step.name, got)
		}
		record.Desired = []testcontrol.Desired{desired}
		h.addRecord(record)
		found := h.findWronglyKept(record, desired, object(t, `spec: {replicas: 9, template: theirs}`))
		if got := pathsOf(found); diff.Show(got) != diff.Show(step.wrong) {
			t.Errorf("%s: %v are wrong, want %v", step.name, got, step.wrong)
		}
	}
}
