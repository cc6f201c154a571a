package globalconfigmap

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/global-configmap/api/v1alpha1"
)

// settings returns a ConfigMap: the source in its own namespace, a copy in another.
func settings(namespace string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: namespace},
		Data:       map[string]string{"color": "blue"},
	}
}

// namespaces returns what Sync sees of namespaces: their metadata. Their label team is their name.
func namespaces(names ...string) operator.Snapshot[*metav1.PartialObjectMetadata] {
	var objects []*metav1.PartialObjectMetadata
	for _, name := range names {
		objects = append(objects, &metav1.PartialObjectMetadata{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": name}},
		})
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

// copies returns the children that exist in some namespaces.
func copies(namespaces ...string) Children {
	var objects []*corev1.ConfigMap
	for _, namespace := range namespaces {
		objects = append(objects, settings(namespace))
	}
	return Children{ConfigMaps: operator.NewSnapshot(objects...)}
}

func excluding(excluded *metav1.LabelSelector) *v1alpha1.GlobalConfigMap {
	return &v1alpha1.GlobalConfigMap{Spec: v1alpha1.GlobalConfigMapSpec{
		SourceName: "settings", SourceNamespace: "platform", Excluded: excluded,
	}}
}

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	parent := excluding(nil)
	source := operator.NewSnapshot(settings("platform"))
	deleted := &metav1.PartialObjectMetadata{
		ObjectMeta: metav1.ObjectMeta{Name: "shop", DeletionTimestamp: new(metav1.Time)},
	}
	binary := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name: "settings", Namespace: "platform", Labels: map[string]string{"team": "platform"},
		},
		Immutable:  new(true),
		BinaryData: map[string][]byte{"icon": {1, 2}},
	}
	binaryCopy := new(Desired)
	binaryCopy.ConfigMaps.Add(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: "shop"},
		Immutable:  binary.Immutable,
		BinaryData: binary.BinaryData,
	})

	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name: "every namespace but the source's own gets a copy",
			Given: Request{
				Parent: parent,
				Related: Related{
					Sources: source, Namespaces: namespaces("blog", "platform", "shop"),
				},
			},
			Expect: &Response{
				Children: copiesIn("blog", "shop"),
				Status:   &v1alpha1.GlobalConfigMapStatus{ExpectedCopies: 2},
			},
		},
		operatortest.Case[Request, Response]{
			Name: "the status counts the copies that are expected and exist",
			Given: Request{
				Parent:   parent,
				Children: copies("gone", "shop"),
				Related:  Related{Sources: source, Namespaces: namespaces("blog", "shop")},
			},
			Expect: &Response{
				Children: copiesIn("blog", "shop"),
				Status:   &v1alpha1.GlobalConfigMapStatus{ExpectedCopies: 2, ActualCopies: 1},
			},
		},
		operatortest.Case[Request, Response]{
			Name: "an excluded namespace gets no copy",
			Given: Request{
				Parent: excluding(&metav1.LabelSelector{
					MatchLabels: map[string]string{"team": "blog"},
				}),
				Related: Related{Sources: source, Namespaces: namespaces("blog", "shop")},
			},
			Expect: &Response{
				Children: copiesIn("shop"),
				Status:   &v1alpha1.GlobalConfigMapStatus{ExpectedCopies: 1},
			},
		},
		operatortest.Case[Request, Response]{
			Name: "an empty selector excludes all namespaces",
			Given: Request{
				Parent:  excluding(&metav1.LabelSelector{}),
				Related: Related{Sources: source, Namespaces: namespaces("blog", "shop")},
			},
			Expect: &Response{Children: new(Desired), Status: new(v1alpha1.GlobalConfigMapStatus)},
		},
		operatortest.Case[Request, Response]{
			Name: "an invalid selector is an error, and all copies stay",
			Given: Request{
				Parent: excluding(&metav1.LabelSelector{
					MatchExpressions: []metav1.LabelSelectorRequirement{
						{Key: "team", Operator: "Is"},
					},
				}),
				Related: Related{Sources: source, Namespaces: namespaces("blog", "shop")},
			},
			ExpectError: "spec.excluded: ",
		},
		operatortest.Case[Request, Response]{
			Name: "a namespace that is being deleted gets no copy",
			Given: Request{
				Parent:  parent,
				Related: Related{Sources: source, Namespaces: operator.NewSnapshot(deleted)},
			},
			Expect: &Response{Children: new(Desired), Status: new(v1alpha1.GlobalConfigMapStatus)},
		},
		operatortest.Case[Request, Response]{
			Name: "without a source there are no copies",
			Given: Request{
				Parent:   parent,
				Children: copies("blog", "shop"),
				Related:  Related{Namespaces: namespaces("blog", "shop")},
			},
			Expect: &Response{
				Children: new(Desired),
				Status:   &v1alpha1.GlobalConfigMapStatus{ExpectedCopies: 2, ActualCopies: 2},
				Conditions: []metav1.Condition{{
					Type: "Ready", Status: metav1.ConditionFalse, Reason: "SourceMissing",
					Message: "no ConfigMap platform/settings",
				}},
			},
		},
		operatortest.Case[Request, Response]{
			Name: "a copy has the content of the source, and none of its labels",
			Given: Request{
				Parent: parent,
				Related: Related{
					Sources: operator.NewSnapshot(binary), Namespaces: namespaces("shop"),
				},
			},
			Expect: &Response{
				Children: binaryCopy,
				Status:   &v1alpha1.GlobalConfigMapStatus{ExpectedCopies: 1},
			},
		},
	)
}
