package operator_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestWhereKeepsTheView(t *testing.T) {
	of := operator.NewSnapshot(configMapIn("b", "web"), configMapIn("a", "web"), configMapIn("a", "db")).
		In("a").ReadyWhen(isOpen).Refuse("lost", errors.New("quota")).WithOutdated("web", "db")
	isWeb := func(object *corev1.ConfigMap) bool {
		object.Name += " changed" // a copy
		return object.Name == "web changed"
	}
	web := of.Where(isWeb)
	for _, test := range []struct {
		name, got, want string
	}{
		{"those of the namespace", namesOf(web), "[a/web]"},
		{"those of another", namesOf(web.In("b")), "[b/web]"},
		{"the same in the other order", namesOf(of.In("b").Where(isWeb)), "[b/web]"},
		{"all", namesOf(web.In(operator.AllNamespaces)), "[a/web b/web]"},
		{"both functions", namesOf(web.Where(func(object *corev1.ConfigMap) bool { return object.Namespace == "b" })), "[]"},
		{"the given one is as before", namesOf(of), "[a/db a/web]"},
		{"the rule", fmt.Sprintf("%v: %s", web.Ready("web"), web.Health("web").Message), "false: is not ready"},
		{"the refusal", fmt.Sprint(web.Refused("lost")), "quota"},
		{"what is outdated", fmt.Sprint(web.Outdated("web"), web.Outdated("db")), "true false"},
		{"what is left out", web.Health("db").Message, "is missing"},
		{"that it is served", fmt.Sprint(web.Served(), of.NotServed().Where(isWeb).Served()), "true false"},
		{"an empty one", namesOf(operator.Snapshot[*corev1.ConfigMap]{}.Where(isWeb)), "[]"},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, test.got, test.want)
		}
	}
}

func TestHealthAndFailureByName(t *testing.T) {
	stuck := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "stuck"}, Status: appsv1.DeploymentStatus{Conditions: []appsv1.DeploymentCondition{
		{Type: appsv1.DeploymentProgressing, Status: "False", Reason: "ProgressDeadlineExceeded", Message: "too slow", LastTransitionTime: metav1.NewTime(time.Unix(1e9, 0))},
	}}}
	fresh := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "fresh"}}
	done := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "done"}, Status: appsv1.DeploymentStatus{Replicas: 1, UpdatedReplicas: 1, AvailableReplicas: 1}}
	of := operator.NewSnapshot(stuck, fresh, done)
	always := of.ReadyWhen(func(client.Object) (bool, error) { return true, nil })
	for _, test := range []struct {
		name     string
		of       operator.Snapshot[*appsv1.Deployment]
		child    string
		want     operator.Health
		isFailed bool
	}{
		{"a failed one", of, "a/stuck", operator.Health{State: operator.HealthFailed, Message: "too slow", Since: time.Unix(1e9, 0)}, true},
		{"one in a namespace", of.In("a"), "fresh", operator.Health{State: operator.HealthInProgress, Message: "is rolling out"}, false},
		{"a ready one", of.In("b"), "done", operator.Health{State: operator.HealthReady}, false},
		{"one that is elsewhere", of.In("b"), "stuck", operator.Health{State: operator.HealthInProgress, Message: "is missing"}, false},
		{"one that the author calls ready", always, "a/stuck", operator.Health{State: operator.HealthReady}, false},
		{"one of an empty snapshot", operator.Snapshot[*appsv1.Deployment]{}, "web", operator.Health{State: operator.HealthInProgress, Message: "is missing"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			failure, isFailed := test.of.Failed(test.child)
			if got := test.of.Health(test.child); got != test.want || failure != got || isFailed != test.isFailed {
				t.Errorf("got %+v, failed %v %+v, want %+v", got, isFailed, failure, test.want)
			}
			if got := test.of.Ready(test.child); got != (test.want.State == operator.HealthReady) {
				t.Errorf("Ready is %v beside %+v", got, test.want)
			}
		})
	}
}

func TestOutdatedByName(t *testing.T) {
	of := operator.NewSnapshot(configMapIn("a", "web"), configMapIn("a", "db"), configMapIn("b", "web")).WithOutdated("a/web", "a/gone")
	of = of.WithOutdated("b/web")
	for name, want := range map[string]bool{"a/web": true, "b/web": true, "a/db": false, "a/gone": false} {
		if got := of.Outdated(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if !of.In("a").Outdated("web") || of.In("a").Outdated("db") {
		t.Error("names without a namespace are others")
	}
}

// The first reason is the one that the Ready condition says.
func TestReadyIfKeepsTheFirstReason(t *testing.T) {
	for want, options := range map[string][]operator.ChildOption{
		"":             {operator.ReadyIf(true, "lags")},
		"lags":         {operator.ReadyIf(true, "sleeps"), operator.ReadyIf(false, "lags"), operator.ReadyIf(false, "sleeps"), operator.ReadyIf(true, "")},
		"is not ready": {operator.ReadyIf(false, "")},
	} {
		var desired operator.DesiredSet[*corev1.ConfigMap]
		desired.Add(configMap("web", ""), options...)
		if got := desired.Children()[0].NotReady; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
