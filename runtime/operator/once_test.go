package operator_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// migrating is the pattern of docs/runtime.md, with a Pod in place of a Job: the migration for a text
// runs once, and the ConfigMap has the earlier text until it is complete.
func migrating(_ context.Context, req *Request) (*Response, error) {
	want, status := new(Desired), req.Parent.Status
	if text := req.Parent.Spec.Text; status.Phase != text {
		migration := pod("migrate-"+text, "migrate:1")
		want.Pods.Add(migration, operator.CreateOnly)
		if req.Children.Pods.Ready(migration.Name) {
			status.Phase = text
		}
	}
	if status.Phase != "" {
		want.ConfigMaps.Add(configMap("web", status.Phase))
	}
	return &Response{Children: want, Status: &testapi.Status{Phase: status.Phase}}, nil
}

// startMigrating runs an operator, and returns how often a migration was created.
func startMigrating(t *testing.T, faults ...string) (f *fixture, created func(name string) int) {
	t.Helper()
	f = start(t, &author{sync: migrating})
	f.MakeReady(pod("migrate-hello", ""))
	f.Matches(configMap("web", "hello"))
	f.Gone(pod("migrate-hello", ""))
	f.Converged(f.site)
	for _, line := range faults {
		fault, err := operatortest.ParseFault(line)
		if err != nil {
			t.Fatal(err)
		}
		f.Inject(fault)
		t.Cleanup(func() {
			if !t.Failed() && f.Struck(fault) == 0 {
				t.Errorf("%s never struck", line)
			}
		})
	}
	return f, func(name string) int {
		count := 0
		for _, request := range f.Writes() {
			if strings.HasPrefix(request.String(), "create pods "+name+": 201") {
				count++
			}
		}
		return count
	}
}

func TestWhatTheStatusRemembersRunsOnce(t *testing.T) {
	t.Parallel()
	for _, faults := range [][]string{
		nil,
		{"patch sites/status 1 before crash"}, // the Job is complete, and nothing says so
		{"patch sites/status 1 after crash"},
		{"patch sites/status 2 before crash"},
		{"patch sites/status 2 instead 500 once"},
		{"delete pods 1 before crash"},
		{"delete pods 1 after crash"},
		{"write any 2 after travel"}, // the next operator's caches are older than what this one has written
	} {
		t.Run(strings.Join(faults, ","), func(t *testing.T) {
			f, created := startMigrating(t, faults...)
			f.text("next")
			f.Exists(pod("migrate-next", ""))
			f.Settled()
			f.Matches(configMap("web", "hello")) // until then
			drifted := configMap("web", "")
			f.Update(drifted, func() { drifted.Data["key"] = "drift" })
			f.Matches(configMap("web", "hello"))
			f.MakeReady(pod("migrate-next", ""))
			f.Matches(configMap("web", "next"))
			f.Gone(pod("migrate-next", ""))
			f.Restart()
			f.Converged(f.site)
			if n := created("migrate-next"); n != 1 {
				t.Errorf("the migration was created %d times", n)
			}
		})
	}
}

// Somebody, or a time to live, deletes the Job as soon as the status says that it is complete.
func TestAJobThatIsGoneDoesNotRunAgain(t *testing.T) {
	f, created := startMigrating(t)
	var isKept atomic.Bool
	f.setSync(func(ctx context.Context, req *Request) (*Response, error) {
		response, err := migrating(ctx, req)
		isKept.Store(response.Children.Pods.Len() > 0)
		response.Children.Pods.Keep("migrate-next") // Sync does not drop it
		return response, err
	})
	f.text("next")
	f.MakeReady(pod("migrate-next", ""))
	f.Matches(configMap("web", "next"))
	f.Settled()
	f.Delete(named(&corev1.Pod{}, "migrate-next"))
	f.Gone(pod("migrate-next", ""))
	f.Crash()
	f.Converged(f.site)
	if n := created("migrate-next"); n != 1 || isKept.Load() {
		t.Errorf("the migration was created %d times, and is desired: %v", n, isKept.Load())
	}
}
