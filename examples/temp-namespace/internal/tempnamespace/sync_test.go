package tempnamespace

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/temp-namespace/api/v1alpha1"
)

var (
	noon     = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	begun    = &metav1.Time{Time: noon}
	oneHour  = metav1.Duration{Duration: time.Hour}
	existing = Children{Namespaces: operator.NewSnapshot(&corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "demo", CreationTimestamp: *begun},
	})}
)

// demo is a TempNamespace for an hour, with what its status says.
func demo(status v1alpha1.TempNamespaceStatus) *v1alpha1.TempNamespace {
	return &v1alpha1.TempNamespace{
		ObjectMeta: metav1.ObjectMeta{Name: "demo"},
		Spec:       v1alpha1.TempNamespaceSpec{DeleteAfter: oneHour},
		Status:     status,
	}
}

// Sync is a function of its request, the time among it, so its tests need no cluster and no waiting.
func TestSync(t *testing.T) {
	theNamespace := new(Desired)
	theNamespace.Namespaces.Add(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "demo"}})
	deletedAt := &metav1.Time{Time: noon.Add(61 * time.Minute)}
	prolonged := demo(v1alpha1.TempNamespaceStatus{CreatedAt: begun, DeletedAt: deletedAt})
	prolonged.Spec.DeleteAfter.Duration = 24 * time.Hour

	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name:  "a new TempNamespace gets its Namespace, for all of its time",
			Given: Request{Parent: demo(v1alpha1.TempNamespaceStatus{}), Now: noon},
			Expect: &Response{
				Children:     theNamespace,
				Status:       &v1alpha1.TempNamespaceStatus{CreatedAt: begun},
				RequeueAfter: time.Hour,
			},
		},
		operatortest.Case[Request, Response]{
			Name: "a later pass asks for what is left of the time",
			Given: Request{
				Parent:   demo(v1alpha1.TempNamespaceStatus{CreatedAt: begun}),
				Children: existing,
				Now:      noon.Add(59 * time.Minute),
			},
			Expect: &Response{
				Children:     theNamespace,
				Status:       &v1alpha1.TempNamespaceStatus{CreatedAt: begun},
				RequeueAfter: time.Minute,
			},
		},
		operatortest.Case[Request, Response]{
			Name: "a status that was lost does not prolong the life",
			Given: Request{
				Parent:   demo(v1alpha1.TempNamespaceStatus{}),
				Children: existing,
				Now:      noon.Add(59 * time.Minute),
			},
			Expect: &Response{
				Children:     theNamespace,
				Status:       &v1alpha1.TempNamespaceStatus{CreatedAt: begun},
				RequeueAfter: time.Minute,
			},
		},
		operatortest.Case[Request, Response]{
			Name: "when the time is over, no Namespace is wanted",
			Given: Request{
				Parent:   demo(v1alpha1.TempNamespaceStatus{CreatedAt: begun}),
				Children: existing,
				Now:      noon.Add(time.Hour),
			},
			Expect: &Response{Children: new(Desired), Status: &v1alpha1.TempNamespaceStatus{CreatedAt: begun}},
		},
		operatortest.Case[Request, Response]{
			Name: "the status says what keeps it from going",
			Given: Request{
				Parent: demo(v1alpha1.TempNamespaceStatus{CreatedAt: begun}),
				Children: Children{Namespaces: operator.NewSnapshot(&corev1.Namespace{
					ObjectMeta: metav1.ObjectMeta{Name: "demo"},
					Status: corev1.NamespaceStatus{Phase: corev1.NamespaceTerminating, Conditions: []corev1.NamespaceCondition{
						{Type: corev1.NamespaceContentRemaining, Status: corev1.ConditionTrue, Message: "1 pod is left"},
						{Type: corev1.NamespaceFinalizersRemaining, Status: corev1.ConditionTrue, Message: "1 finalizer is left"},
						{Type: corev1.NamespaceDeletionDiscoveryFailure, Status: corev1.ConditionFalse, Message: "all is known"},
					}},
				})},
				Now: noon.Add(61 * time.Minute),
			},
			Expect: &Response{
				Children: new(Desired),
				Status:   &v1alpha1.TempNamespaceStatus{CreatedAt: begun, Error: "1 pod is left; 1 finalizer is left"},
			},
		},
		operatortest.Case[Request, Response]{
			Name: "it is deleted when it is seen to be gone",
			Given: Request{
				Parent: demo(v1alpha1.TempNamespaceStatus{CreatedAt: begun, Error: "1 pod is left"}),
				Now:    deletedAt.Time,
			},
			Expect: &Response{
				Children: new(Desired),
				Status:   &v1alpha1.TempNamespaceStatus{CreatedAt: begun, DeletedAt: deletedAt},
			},
		},
		operatortest.Case[Request, Response]{
			Name:  "it has one life, however long that is made afterwards",
			Given: Request{Parent: prolonged, Now: noon.Add(2 * time.Hour)},
			Expect: &Response{
				Children: new(Desired),
				Status:   &v1alpha1.TempNamespaceStatus{CreatedAt: begun, DeletedAt: deletedAt},
			},
		},
	)
}
