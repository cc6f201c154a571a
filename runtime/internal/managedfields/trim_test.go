package managedfields

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const manager = "opgen/web.example.com"

func TestTrimKeepsOurFieldManagers(t *testing.T) {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{
		{Manager: manager, Operation: "Apply", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:type":{}}}`)},
		{Manager: "kube-controller-manager", Operation: "Update", FieldsV1: metav1.NewFieldsV1(`{"f:status":{}}`)},
	}}}
	if _, err := NewTrimmer().Trim(service); err != nil {
		t.Fatal(err)
	}
	if len(service.ManagedFields) != 1 || service.ManagedFields[0].Manager != manager {
		t.Errorf("managers are %v", service.ManagedFields)
	}
}

func TestChildrenOfOneShapeShareTheirPaths(t *testing.T) {
	const paths = `{"f:metadata":{"f:labels":{"f:app":{}},"f:ownerReferences":{"k:{\"uid\":\"%s\"}":{}}}}`
	child := func(owner types.UID) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Labels:          map[string]string{strings.Clone("example.com/site"): strings.Clone(string(owner))},
			Annotations:     map[string]string{strings.Clone("example.com/hash"): "x"},
			OwnerReferences: []metav1.OwnerReference{{UID: "other"}, {UID: owner, Kind: strings.Clone("Site"), Controller: ptr.To(true)}},
			ManagedFields: []metav1.ManagedFieldsEntry{{
				Manager: manager, Operation: metav1.ManagedFieldsOperationApply, FieldsV1: metav1.NewFieldsV1(fmt.Sprintf(paths, owner)),
			}},
		}}
	}
	trimmer, a, b := NewTrimmer(), child("1"), child("2")
	for _, object := range []*corev1.ConfigMap{a, b} {
		if _, err := trimmer.Trim(object); err != nil {
			t.Fatal(err)
		}
		owner := object.OwnerReferences[1].UID
		if got := string(Entry(object, manager, metav1.ManagedFieldsOperationApply, "")); got != fmt.Sprintf(paths, owner) {
			t.Errorf("the paths of the child of %s are %s", owner, got)
		}
	}
	if &a.ManagedFields[0] != &b.ManagedFields[0] {
		t.Error("two otherwise equal children have paths of their own")
	}
	if a.Labels["example.com/site"] != "1" || b.Labels["example.com/site"] != "2" || b.Annotations["example.com/hash"] != "x" {
		t.Errorf("labels and annotations are %v, %v, %v", a.Labels, b.Labels, b.Annotations)
	}
	for _, texts := range [][2]string{
		{keyOf(a.Labels), keyOf(b.Labels)},
		{keyOf(a.Annotations), keyOf(b.Annotations)},
		{a.OwnerReferences[1].Kind, b.OwnerReferences[1].Kind},
		{a.Labels["example.com/site"], string(a.OwnerReferences[1].UID)},
	} {
		if unsafe.StringData(texts[0]) != unsafe.StringData(texts[1]) {
			t.Errorf("%q and %q have memory of their own", texts[0], texts[1])
		}
	}
	b.OwnerReferences = b.OwnerReferences[:1] // somebody took its owner away
	if got := Entry(b, manager, metav1.ManagedFieldsOperationApply, ""); string(got) == fmt.Sprintf(paths, "2") {
		t.Error("a child has the path of an owner that it lost")
	}
	for i := range 2 * maxInterned {
		object := child("1")
		object.ManagedFields[0].FieldsV1 = metav1.NewFieldsV1(fmt.Sprintf(`{"f:data":{"f:%d":{}}}`, i))
		if _, err := trimmer.Trim(object); err != nil {
			t.Fatal(err)
		}
	}
	if len(trimmer.fields) > maxInterned+1 {
		t.Errorf("%d entries are kept", len(trimmer.fields))
	}
}

func keyOf(texts map[string]string) string { return slices.Collect(maps.Keys(texts))[0] }
