package operatortest_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// What a child's strategy, its order or its parent says about a change that has not
// reached it is no untruth.
func TestChildrenMayDifferWhereTheyAreToStayAsTheyAre(t *testing.T) {
	never := deployment("never")
	never.Spec.Replicas = nil // one, whose Pod never starts
	annotate := func(key string) func(*Ledger) {
		return func(ledger *Ledger) { metav1.SetMetaDataAnnotation(&ledger.ObjectMeta, group+key, "true") }
	}
	for name, test := range map[string]struct {
		option  operator.ChildOption
		prepare func(*Ledger)
	}{
		"CreateOnly":   {option: operator.CreateOnly},
		"OnDelete":     {option: operator.OnDelete},
		"After":        {option: operator.After(never)},
		"paused":       {prepare: annotate("/paused")},
		"disconnected": {prepare: annotate("/disconnect")},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
				want, options := new(ledgerChildren), []operator.ChildOption(nil)
				if test.option != nil && (name != "After" || req.Parent.Spec.Text == "two") {
					options = append(options, test.option)
				}
				want.Deployments.Add(never.DeepCopy())
				want.ConfigMaps.Add(textMap("web", req.Parent.Spec.Text), options...)
				return &ledgerResponse{Children: want, Status: new(LedgerStatus)}, nil
			})
			cluster.Exists(textMap("web", ""))
			cluster.Settled()
			cluster.Update(ledger, func() {
				if ledger.Spec.Text = "two"; test.prepare != nil {
					test.prepare(ledger)
				}
			})
			cluster.Truthful()
			cluster.Matches(textMap("web", "one"))
		})
	}
}

// A rolling update holds all but one back.
func TestTruthfulLetsARollingUpdateTakeItsTime(t *testing.T) {
	cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		want := new(ledgerChildren)
		for _, name := range []string{"a", "b", "c"} {
			child := deployment(name, corev1.EnvVar{Name: "TEXT", Value: req.Parent.Spec.Text})
			want.Deployments.Add(child, operator.RollingInPlace)
		}
		return &ledgerResponse{Children: want, Status: new(LedgerStatus)}, nil
	})
	for _, name := range []string{"a", "b", "c"} {
		cluster.Exists(deployment(name))
	}
	cluster.Converged()
	cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
	cluster.Truthful()
}

func TestTruthfulAcceptsWhatTheConditionsName(t *testing.T) {
	cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		return desireConfigMaps(textMap(req.Parent.Spec.Text, "ours")), nil
	})
	cluster.Converged()
	cluster.Create(textMap("taken", "theirs"))
	cluster.Update(ledger, func() { ledger.Spec.Text = "taken" })
	cluster.Truthful(ledger)
}

// The values that a child is compared with are those that the API server makes of the
// desired ones; fields of others stay, also those that were desired once.
func TestTruthfulTakesValuesAsTheAPIServerHasThem(t *testing.T) {
	cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		child := deployment("web", corev1.EnvVar{Name: "B", Value: "1"}, corev1.EnvVar{Name: "A"})
		container := &child.Spec.Template.Spec.Containers[0]
		container.Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse("1000m"), "memory": resource.MustParse("1024Mi")}
		container.Ports = []corev1.ContainerPort{{ContainerPort: 80}, {ContainerPort: 80, Protocol: corev1.ProtocolUDP}}
		container.SecurityContext = &corev1.SecurityContext{Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}
		child.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		if req.Parent.Spec.Text == "one" {
			child.Labels = map[string]string{"shared": "yes", "own": "yes"}
			container.Env = append(container.Env, corev1.EnvVar{Name: "C", Value: "1"})
		}
		want := new(ledgerChildren)
		want.Deployments.Add(child)
		return &ledgerResponse{Children: want, Status: new(LedgerStatus)}, nil
	})
	cluster.Converged()
	shared := client.RawPatch(types.ApplyPatchType, []byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"shared":"yes"}}}`))
	child := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: cluster.Namespace}}
	if err := cluster.Client.Patch(t.Context(), child, shared, client.FieldOwner("someone")); err != nil {
		t.Fatal(err)
	}
	cluster.Update(ledger, func() { ledger.Spec.Text = "two" })
	cluster.Converged()
	if cluster.Get(child); child.Labels["shared"] != "yes" || child.Labels["own"] != "" {
		t.Errorf("labels %v", child.Labels)
	}
}

func TestTruthfulLeavesOrphansAlone(t *testing.T) {
	cluster, ledger := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		want := new(ledgerChildren)
		want.ConfigMaps.Add(textMap("stays", "one"), operator.WhenDropped(operator.Orphan), operator.WhenDeleted(operator.Orphan))
		want.ConfigMaps.Add(textMap("goes", "one"))
		return &ledgerResponse{Children: want, Status: new(LedgerStatus)}, nil
	})
	cluster.Converged()
	cluster.Delete(ledger)
	cluster.Gone(ledger)
	cluster.Truthful()
	cluster.Exists(textMap("stays", ""))
}

func TestImpureSyncIsCalledOnce(t *testing.T) {
	var calls counter
	cluster, _ := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		return &ledgerResponse{RequeueAfter: time.Hour + time.Duration(calls.next())*time.Minute}, nil
	}, configure(func(config *operatortest.Config) { config.Impure = true }))
	cluster.Truthful()
	cluster.Converged()
}

func TestWritesAtMostAllowsARetryNowAndThen(t *testing.T) {
	cluster, _ := run(t, func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		return desireConfigMaps(textMap("Not_A_Name", "one")), nil
	})
	cluster.WritesAtMost(6, 2*time.Second)
	cluster.Truthful()
}

// The end state is the same whatever namespaces and UIDs there are, and shows no secret.
func TestEndStatesAreComparable(t *testing.T) {
	if os.Getenv("OPGEN_TEST_KUBECONFIG") == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	t.Parallel()
	endOf := func(text string) operatortest.State {
		cluster := operatortest.Start(t, ledgerConfig(func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
			want := new(ledgerChildren)
			want.ConfigMaps.Add(textMap("web", text))
			want.Deployments.Add(deployment("web", corev1.EnvVar{Name: "TOKEN", Value: "canary-" + text}))
			return &ledgerResponse{Children: want, Status: &LedgerStatus{Phase: req.Parent.Namespace}}, nil
		}))
		ledger := &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
		cluster.Create(ledger)
		cluster.Converged()
		if text == "two" {
			cluster.Create(textMap("unrelated", ""))
		}
		return cluster.EndState(ledger)
	}
	one, again, two := endOf("one"), endOf("one"), endOf("two")
	if differences := operatortest.Diff(one, again); differences != "" {
		t.Errorf("states of the same:\n%s", differences)
	}
	differences := operatortest.Diff(one, two)
	for _, part := range []string{"ConfigMap (namespace)/web data.text:\n  - \"one\"\n  + \"two\"\n", "env[TOKEN].value:\n  - \"(hidden)\"\n"} {
		if !strings.Contains(differences, part) {
			t.Errorf("the differences lack %q:\n%s", part, differences)
		}
	}
	if strings.Contains(differences, "canary-") || strings.Contains(differences, "unrelated") {
		t.Errorf("the differences show too much:\n%s", differences)
	}
}
