package operatortest_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// Ledger is the kind of parents in the tests against the API server.
type Ledger struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   LedgerSpec   `json:"spec,omitempty"`
	Status LedgerStatus `json:"status,omitempty"`
}

type LedgerSpec struct {
	Text string `json:"text,omitempty"`
}

type LedgerStatus struct {
	Phase              string             `json:"phase,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type LedgerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Ledger `json:"items"`
}

func (l *Ledger) DeepCopyObject() runtime.Object {
	ledger := *l
	ledger.ObjectMeta = *l.ObjectMeta.DeepCopy()
	ledger.Status.Conditions = slices.Clone(l.Status.Conditions)
	return &ledger
}

func (l *LedgerList) DeepCopyObject() runtime.Object {
	list := &LedgerList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for _, item := range l.Items {
		list.Items = append(list.Items, *item.DeepCopyObject().(*Ledger))
	}
	return list
}

const group = "operatortest.opgen.dev"

func addToScheme(scheme *runtime.Scheme) error {
	version := schema.GroupVersion{Group: group, Version: "v1"}
	scheme.AddKnownTypes(version, new(Ledger), new(LedgerList))
	metav1.AddToGroupVersion(scheme, version)
	return nil
}

type (
	books struct {
		ConfigMaps  operator.Snapshot[*corev1.ConfigMap]
		Deployments operator.Snapshot[*appsv1.Deployment]
		Jobs        operator.Snapshot[*batchv1.Job]
	}
	ledgerChildren struct {
		ConfigMaps  operator.DesiredSet[*corev1.ConfigMap]
		Deployments operator.DesiredSet[*appsv1.Deployment]
		Jobs        operator.DesiredSet[*batchv1.Job]
	}
	ledgerRequest  = operator.Request[*Ledger, books, struct{}]
	ledgerResponse = operator.Response[ledgerChildren, LedgerStatus]
	ledgerSync     = func(context.Context, *ledgerRequest) (*ledgerResponse, error)
)

type ledgerDefinition = operator.Definition[*Ledger, LedgerStatus, books, ledgerChildren, struct{}]

// run runs an operator with this Sync, and creates a Ledger.
func run(t *testing.T, sync ledgerSync, configure ...func(*operatortest.Config, *ledgerDefinition)) (*operatortest.Cluster, *Ledger) {
	t.Helper()
	t.Parallel()
	cluster := operatortest.Start(t, ledgerConfig(sync, configure...))
	ledger := &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: LedgerSpec{Text: "one"}}
	cluster.Create(ledger)
	return cluster, ledger
}

// ledgerConfig is that of an operator with this Sync.
func ledgerConfig(sync ledgerSync, configure ...func(*operatortest.Config, *ledgerDefinition)) operatortest.Config {
	definition := defineLedgers(sync)
	config := operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			return []operator.Controller{operator.NewController(definition)}, nil
		},
		CRDs:    []string{"testdata/crd.yaml"},
		Schemes: runtime.SchemeBuilder{addToScheme},
	}
	for _, change := range configure {
		change(&config, &definition)
	}
	return config
}

// define changes the definition of the operator of a test.
func define(change func(*ledgerDefinition)) func(*operatortest.Config, *ledgerDefinition) {
	return func(_ *operatortest.Config, definition *ledgerDefinition) { change(definition) }
}

// configure changes how the operator of a test runs.
func configure(change func(*operatortest.Config)) func(*operatortest.Config, *ledgerDefinition) {
	return func(config *operatortest.Config, _ *ledgerDefinition) { change(config) }
}

func ledgers(sync ledgerSync) operator.Controller { return operator.NewController(defineLedgers(sync)) }

func defineLedgers(sync ledgerSync) ledgerDefinition {
	return ledgerDefinition{
		Name:    "ledger",
		Group:   group,
		Parents: []operator.ParentKind{{Object: new(Ledger)}},
		Schemes: runtime.SchemeBuilder{addToScheme},
		Kinds: func(observed *books, desired *ledgerChildren) []operator.ChildKind {
			return []operator.ChildKind{
				{Object: &corev1.ConfigMap{}, Fields: operator.Bind(&observed.ConfigMaps, &desired.ConfigMaps)},
				{Object: &appsv1.Deployment{}, Fields: operator.Bind(&observed.Deployments, &desired.Deployments)},
				{Object: &batchv1.Job{}, Fields: operator.Bind(&observed.Jobs, &desired.Jobs)},
			}
		},
		Status:             func(l *Ledger) *LedgerStatus { return &l.Status },
		Conditions:         func(s *LedgerStatus) *[]metav1.Condition { return &s.Conditions },
		ObservedGeneration: func(s *LedgerStatus) *int64 { return &s.ObservedGeneration },
		Sync:               sync,
	}
}

// copyOut wants a ConfigMap with the Ledger's text.
func copyOut(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
	want := new(ledgerChildren)
	want.ConfigMaps.Add(textMap(req.Parent.Name, req.Parent.Spec.Text))
	return &ledgerResponse{Children: want, Status: &LedgerStatus{Phase: "Copied"}}, nil
}

func textMap(name, text string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"text": text}}
}

// counter counts what reconciles do, in any worker.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}
