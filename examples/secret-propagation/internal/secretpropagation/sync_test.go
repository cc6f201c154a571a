package secretpropagation

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/secret-propagation/api/v1alpha1"
)

// token returns a Secret: the source in its own namespace, a copy in another.
func token(namespace, value string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "token", Namespace: namespace},
		Type:       corev1.SecretTypeOpaque,
		Data:       map[string][]byte{"token": []byte(value)},
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
		want.Secrets.Add(token(namespace, "one"))
	}
	return want
}

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	parent := &v1alpha1.SecretPropagation{Spec: v1alpha1.SecretPropagationSpec{
		SourceName: "token", SourceNamespace: "platform",
	}}
	source := operator.NewSnapshot(token("platform", "one"))
	deleted := &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "shop", DeletionTimestamp: new(metav1.Time)},
	}
	login := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "token", Namespace: "platform", Labels: map[string]string{"team": "platform"},
		},
		Type:      corev1.SecretTypeBasicAuth,
		Immutable: new(true),
		Data:      map[string][]byte{corev1.BasicAuthPasswordKey: []byte("tea")},
	}
	loginCopy := new(Desired)
	loginCopy.Secrets.Add(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "token", Namespace: "shop"},
		Type:       login.Type,
		Immutable:  login.Immutable,
		Data:       login.Data,
	})

	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name: "every selected namespace but the source's own gets a copy",
			Given: Request{
				Parent:  parent,
				Related: Related{Sources: source, Targets: namespaces("blog", "platform", "shop")},
			},
			Expect: &Response{
				Children: copiesIn("blog", "shop"),
				Status:   &v1alpha1.SecretPropagationStatus{ExpectedCopies: 2},
			},
		},
		operatortest.Case[Request, Response]{
			Name: "the status counts the copies that are expected and exist",
			Given: Request{
				Parent: parent,
				Children: Children{
					Secrets: operator.NewSnapshot(token("gone", "one"), token("shop", "one")),
				},
				Related: Related{Sources: source, Targets: namespaces("blog", "shop")},
			},
			Expect: &Response{
				Children: copiesIn("blog", "shop"),
				Status:   &v1alpha1.SecretPropagationStatus{ExpectedCopies: 2, ActualCopies: 1},
			},
		},
		operatortest.Case[Request, Response]{
			Name: "a namespace that is being deleted gets no copy",
			Given: Request{
				Parent:  parent,
				Related: Related{Sources: source, Targets: operator.NewSnapshot(deleted)},
			},
			Expect: &Response{
				Children: new(Desired),
				Status:   new(v1alpha1.SecretPropagationStatus),
			},
		},
		operatortest.Case[Request, Response]{
			Name:  "without a source there are no copies",
			Given: Request{Parent: parent, Related: Related{Targets: namespaces("blog", "shop")}},
			Expect: &Response{
				Children: new(Desired),
				Status:   &v1alpha1.SecretPropagationStatus{ExpectedCopies: 2},
				Conditions: []metav1.Condition{{
					Type: "Ready", Status: metav1.ConditionFalse, Reason: "SourceMissing",
					Message: "no Secret platform/token",
				}},
			},
		},
		operatortest.Case[Request, Response]{
			Name: "a copy has the type and the content of the source, and none of its labels",
			Given: Request{
				Parent:  parent,
				Related: Related{Sources: operator.NewSnapshot(login), Targets: namespaces("shop")},
			},
			Expect: &Response{
				Children: loginCopy,
				Status:   &v1alpha1.SecretPropagationStatus{ExpectedCopies: 1},
			},
		},
	)
}
