package ownership

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	ourManager = "opgen/site.demo.example.com"
	ofLabel    = `{"f:metadata":{"f:labels":{"f:demo.example.com/site":{}}}}`
	ofAll      = `{"f:metadata":{"f:labels":{"f:demo.example.com/site":{}},"f:annotations":{"f:demo.example.com/parent":{}},"f:ownerReferences":{"k:{\"uid\":\"1\"}":{}}}}`
	ofOwner    = `{"f:metadata":{"f:ownerReferences":{"k:{\"uid\":\"1\"}":{}}}}`
	ofParent   = `{"f:metadata":{"f:annotations":{"f:demo.example.com/parent":{}}}}`
	ofData     = `{"f:data":{"f:demo.example.com/site":{}}}`
)

func TestCopiedBy(t *testing.T) {
	created := metav1.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	entry := func(manager, fields string, age time.Duration) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Time: &metav1.Time{Time: created.Add(-age)}, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	type entries = []metav1.ManagedFieldsEntry
	referred := metav1.ObjectMeta{Labels: map[string]string{keys.Label: "1"}, OwnerReferences: []metav1.OwnerReference{{UID: "1", Controller: new(true)}}}
	stolen := metav1.ObjectMeta{Labels: map[string]string{keys.Label: "2"}, OwnerReferences: referred.OwnerReferences}
	annotated := metav1.ObjectMeta{Labels: map[string]string{keys.Label: "1"}, Annotations: map[string]string{keys.Parent: "Site.demo.example.com/a/web"}}
	for name, test := range map[string]struct {
		metadata metav1.ObjectMeta
		fields   entries
		want     string
	}{
		"a child":                               {referred, entries{entry(ourManager, ofAll, 0)}, ""},
		"a child that somebody edits":           {referred, entries{entry(ourManager, ofAll, 0), entry("kubectl-edit", ofData, 0)}, ""},
		"a child that somebody applies":         {referred, entries{entry(ourManager, ofAll, 0), entry("argocd", ofAll, 0)}, ""},
		"a child whose label somebody restored": {referred, entries{entry(ourManager, ofOwner, 0), entry("kubectl-label", ofLabel, 0)}, ""},
		"a copy":                                {referred, entries{entry("kubectl-create", ofAll, 0)}, "kubectl-create"},
		"an annotated copy":                     {annotated, entries{entry("kubectl-create", ofAll, 0)}, "kubectl-create"},
		"a copy by two":                         {annotated, entries{entry("kubectl-label", ofLabel, 0), entry("kubectl-annotate", ofParent, 0)}, "kubectl-annotate"},
		"a copy that we wrote to otherwise":     {annotated, entries{entry("kubectl-create", ofAll, 0), entry(ourManager, ofData, 0)}, "kubectl-create"},
		"a restored copy":                       {referred, entries{entry(ourManager, ofAll, time.Hour)}, ourManager},
		"a child that admission kept waiting":   {referred, entries{entry(ourManager, ofAll, 10*time.Second)}, ""},
		"no managedFields":                      {referred, nil, ""},
		"cleared managedFields":                 {referred, entries{entry("kubectl-edit", ofData, 0)}, ""},
		"applied after managedFields were lost": {referred, entries{entry("before-first-apply", ofAll, 0), entry("argocd", ofAll, 0)}, ""},
		"another parent's reference":            {stolen, entries{entry(ourManager, ofLabel, 0), entry("kubectl-edit", ofOwner, 0)}, "kubectl-edit"},
		"too many writers":                      {referred, entries{entry("ancient-changes", ofAll, 0)}, ""},
		"no marks":                              {metav1.ObjectMeta{}, entries{entry("kubectl-create", ofAll, 0)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			object := &corev1.ConfigMap{ObjectMeta: *test.metadata.DeepCopy()}
			object.CreationTimestamp, object.ManagedFields = created, test.fields
			if got := keys.CopiedBy(object, ourManager); got != test.want {
				t.Errorf("copied by %q, want %q", got, test.want)
			}
			MarkCopy(object, "somebody")
			if got := keys.CopiedBy(object, ourManager); got != "somebody" || !IsMarkedCopy(object) {
				t.Errorf("after MarkCopy it was copied by %q", got)
			}
		})
	}
}
