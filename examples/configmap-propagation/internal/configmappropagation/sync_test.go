package configmappropagation

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/configmap-propagation/api/v1alpha1"
)

// settings is a ConfigMap in a namespace: the source in omega, a copy elsewhere.
func settings(namespace string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: namespace},
		Data:       map[string]string{"colour": "blue"},
	}
}

func namespaces(names ...string) operator.Snapshot[*corev1.Namespace] {
	var objects []*corev1.Namespace
	for _, name := range names {
		objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	return operator.NewSnapshot(objects...)
}

func copiesIn(namespaces ...string) *Desired {
	want := new(Desired)
	for _, namespace := range namespaces {
		want.ConfigMaps.Add(settings(namespace))
	}
	return want
}

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	propagation := &v1alpha1.ConfigMapPropagation{Spec: v1alpha1.ConfigMapPropagationSpec{
		SourceName: "settings", SourceNamespace: "omega", TargetNamespaces: []string{"two", "one"},
	}}
	source := operator.NewSnapshot(settings("omega"))
	leaving := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "one", DeletionTimestamp: new(metav1.Time)}}
	immutable := settings("omega")
	immutable.Immutable, immutable.Data, immutable.BinaryData = new(true), nil, map[string][]byte{"icon": {1, 2}}
	theSame := new(Desired)
	theSame.ConfigMaps.Add(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "one"},
		Immutable:  immutable.Immutable,
		BinaryData: immutable.BinaryData,
	})

	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name:  "each namespace gets a copy",
			Given: Request{Parent: propagation, Related: Related{Sources: source, Listed: namespaces("one", "two")}},
			Expect: &Response{
				Children: copiesIn("one", "two"),
				Status:   &v1alpha1.ConfigMapPropagationStatus{ExpectedCopies: 2},
			},
		},
		operatortest.Case[Request, Response]{
			Name: "copies are counted",
			Given: Request{
				Parent:   propagation,
				Children: Children{ConfigMaps: operator.NewSnapshot(settings("two"), settings("no longer listed"))},
				Related:  Related{Sources: source, Listed: namespaces("one", "two")},
			},
			Expect: &Response{
				Children: copiesIn("one", "two"),
				Status:   &v1alpha1.ConfigMapPropagationStatus{ExpectedCopies: 2, ActualCopies: 1},
			},
		},
		operatortest.Case[Request, Response]{
			Name:  "a namespace that is both listed and selected has one, and the source's own has the original",
			Given: Request{Parent: propagation, Related: Related{Sources: source, Listed: namespaces("one", "two"), Selected: namespaces("omega", "one", "three")}},
			Expect: &Response{
				Children: copiesIn("one", "three", "two"),
				Status:   &v1alpha1.ConfigMapPropagationStatus{ExpectedCopies: 3},
			},
		},
		operatortest.Case[Request, Response]{
			Name:  "one that does not exist is told of, and the others are served",
			Given: Request{Parent: propagation, Related: Related{Sources: source, Listed: namespaces("two")}},
			Expect: &Response{
				Children:   copiesIn("two"),
				Status:     &v1alpha1.ConfigMapPropagationStatus{ExpectedCopies: 2},
				Conditions: notReady("NamespaceMissing", "no such namespace: one"),
			},
		},
		operatortest.Case[Request, Response]{
			Name:  "so is one that is being deleted",
			Given: Request{Parent: propagation, Related: Related{Sources: source, Listed: operator.NewSnapshot(leaving), Selected: namespaces("two")}},
			Expect: &Response{
				Children:   copiesIn("two"),
				Status:     &v1alpha1.ConfigMapPropagationStatus{ExpectedCopies: 2},
				Conditions: notReady("NamespaceMissing", "no such namespace: one"),
			},
		},
		operatortest.Case[Request, Response]{
			Name: "without a source there are no copies",
			Given: Request{
				Parent:   propagation,
				Children: Children{ConfigMaps: operator.NewSnapshot(settings("one"), settings("two"))},
				Related:  Related{Listed: namespaces("one", "two")},
			},
			Expect: &Response{
				Children:   new(Desired),
				Status:     &v1alpha1.ConfigMapPropagationStatus{ExpectedCopies: 2, ActualCopies: 2},
				Conditions: notReady("SourceMissing", "ConfigMap omega/settings does not exist"),
			},
		},
		operatortest.Case[Request, Response]{
			Name: "a copy has what the source has",
			Given: Request{
				Parent: &v1alpha1.ConfigMapPropagation{Spec: v1alpha1.ConfigMapPropagationSpec{
					SourceName: "settings", SourceNamespace: "omega",
				}},
				Related: Related{Sources: operator.NewSnapshot(immutable), Selected: namespaces("one")},
			},
			Expect: &Response{
				Children: theSame,
				Status:   &v1alpha1.ConfigMapPropagationStatus{ExpectedCopies: 1},
			},
		},
	)
}
