package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// realOptions are for instances of this test alone, made of the binary that all share.
func realOptions(t *testing.T, name string) Options {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped under -short: it starts a control plane, and builds it on first use")
	}
	cache, err := DefaultCache()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Name: name, Cache: cache, State: State{Dir: t.TempDir()}}
}

// up starts an instance that is gone at the end of the test.
func up(t *testing.T, o Options) *Outcome {
	t.Helper()
	outcome, err := Up(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := Down(context.Background(), o.State, o.Name); err != nil {
			t.Error(err)
		}
	})
	return outcome
}

func TestTwoInstancesSideBySide(t *testing.T) {
	first := realOptions(t, "first")
	second := first
	second.Name = "second"
	var starting sync.WaitGroup
	for _, o := range []Options{first, second} {
		starting.Go(func() { up(t, o) })
	}
	starting.Wait()
	if t.Failed() {
		t.FailNow()
	}
	list, err := List(first.State)
	if err != nil {
		t.Fatal(err)
	}
	addresses := map[string]bool{}
	for _, status := range list {
		if status.State != StateRunning {
			t.Errorf("%s is %s", status.Name, status.State)
		}
		for _, p := range status.Processes {
			if p.Address != "" && (addresses[p.Address] || !strings.HasPrefix(p.Address, "127.0.0.1:")) {
				t.Errorf("%s of %s listens on %s", p.Name, status.Name, p.Address)
			}
			addresses[p.Address] = true
			if status.Memory[p.Name] == 0 {
				t.Errorf("%s of %s has no memory", p.Name, status.Name)
			}
		}
		again, err := Up(t.Context(), Options{Name: status.Name, Cache: first.Cache, State: first.State})
		if err != nil || !again.Existed || again.Server != status.Server {
			t.Errorf("Up of the running %s = %+v, %v", status.Name, again, err)
		}
	}

	if existed, err := Down(t.Context(), first.State, "first"); !existed || err != nil {
		t.Errorf("Down = %t, %v", existed, err)
	}
	for _, p := range list[0].Processes {
		if p.Running() {
			t.Errorf("%s of first still runs", p.Name)
		}
	}
	if _, err := Find(first.State, "second"); err != nil {
		t.Errorf("taking first down hurt second: %v", err)
	}
	if _, err := Down(t.Context(), first.State, "second"); err != nil {
		t.Error(err)
	}
	expectEmpty(t, first.State.clusters())
}

func TestControlPlane(t *testing.T) {
	o := realOptions(t, "controllers")
	instance := up(t, o).Instance
	config, err := clientcmd.BuildConfigFromFlags("", instance.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	admin, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("secrets are for the user alone", func(t *testing.T) { expectPrivate(t, instance.Dir) })
	t.Run("children of a deleted owner are collected", func(t *testing.T) { expectCollection(t, admin) })
	t.Run("a deleted namespace ends", func(t *testing.T) { expectNamespaceEnds(t, admin) })
	t.Run("a ServiceAccount's token has its rights alone", func(t *testing.T) { expectToken(t, admin, config, instance) })
}

func expectPrivate(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func configMap(name string, owners ...metav1.OwnerReference) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, OwnerReferences: owners}}
}

func expectCollection(t *testing.T, admin client.Client) {
	owner := configMap("owner")
	create(t, admin, owner)
	child := configMap("child", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID})
	create(t, admin, child)
	if err := admin.Delete(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	expectGone(t, admin, child)
}

func expectNamespaceEnds(t *testing.T, admin client.Client) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "passing"}}
	create(t, admin, namespace)
	content := configMap("content")
	content.Namespace = namespace.Name
	create(t, admin, content)
	if err := admin.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	expectGone(t, admin, namespace)
}

func expectToken(t *testing.T, admin client.Client, config *rest.Config, instance *Instance) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "default"}}
	request := &authenticationv1.TokenRequest{}
	if err := admin.SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	limited := rest.AnonymousClientConfig(config)
	limited.BearerToken = request.Status.Token
	user, err := client.New(limited, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := user.Create(t.Context(), configMap("refused")); !apierrors.IsForbidden(err) {
		t.Errorf("the ServiceAccount's request ended with %v, expected it to be refused", err)
	}
	refused := func() bool {
		return slices.ContainsFunc(auditEvents(t, instance), func(e auditv1.Event) bool {
			return e.User.Username == "system:serviceaccount:default:default" && e.Verb == "create" && e.Stage == auditv1.StageResponseComplete &&
				e.ObjectRef.Resource == "configmaps" && e.ObjectRef.Namespace == "default" && e.ResponseStatus.Code == 403
		})
	}
	eventually(t, "the audit log has the refused request", refused)
}

func auditEvents(t *testing.T, instance *Instance) []auditv1.Event {
	file, err := os.Open(instance.AuditLog())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var events []auditv1.Event
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var event auditv1.Event
		if json.Unmarshal(lines.Bytes(), &event) == nil { // else: a line that is being written
			events = append(events, event)
		}
	}
	return events
}

func create(t *testing.T, admin client.Client, object client.Object) {
	t.Helper()
	if err := admin.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

func expectGone(t *testing.T, admin client.Client, object client.Object) {
	t.Helper()
	eventually(t, object.GetName()+" is gone", func() bool {
		return apierrors.IsNotFound(admin.Get(t.Context(), client.ObjectKeyFromObject(object), object))
	})
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if waitUntil(ctx, holds) != nil {
		t.Errorf("not within a minute: %s", what)
	}
}

func TestUpReplacesABrokenInstance(t *testing.T) {
	o := realOptions(t, "broken")
	before := up(t, o)
	victim := before.Processes[1]
	if err := syscall.Kill(victim.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, victim.Name+" is gone", func() bool { return !victim.Running() })
	list, err := List(o.State)
	if err != nil || len(list) != 1 || list[0].State != StateBroken {
		t.Errorf("List = %+v, %v", list, err)
	}
	if _, err := Find(o.State, o.Name); !errors.Is(err, ErrNotRunning) {
		t.Errorf("Find = %v, expected ErrNotRunning", err)
	}
	after := up(t, o)
	if after.Existed || !slices.Equal(after.Gone, []string{victim.Name}) {
		t.Errorf("Up = %+v, expected a new start because of %s", after, victim.Name)
	}
	for _, p := range before.Processes {
		if p.Running() {
			t.Errorf("%s of the broken instance still runs", p.Name)
		}
	}
}

func TestInterruptedStartLeavesNothing(t *testing.T) {
	o := realOptions(t, "interrupted")
	if _, err := Build(t.Context(), o.Cache, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var started []Process
	go func() {
		defer cancel()
		waitUntil(t.Context(), func() bool {
			instance, err := o.State.load(o.Name)
			if err == nil && instance != nil {
				started = instance.Processes
			}
			return len(started) > 0
		})
	}()
	if _, err := Up(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("Up = %v, expected to be interrupted", err)
	}
	for _, p := range started {
		if p.Running() {
			t.Errorf("%s still runs", p.Name)
		}
	}
	expectEmpty(t, o.State.clusters())
}

func TestProcessOffTheRecordDoesNotRun(t *testing.T) {
	o := realOptions(t, "held")
	assets, err := Build(t.Context(), o.Cache, nil)
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	orphan, err := hold(kubectl, assets.program(kubectl), []string{"version", "--client"}, log)
	if err != nil {
		t.Fatal(err)
	}
	orphan.abandon() // as when its starter dies
	<-orphan.exited
	if output, err := os.ReadFile(log); err != nil || len(output) > 0 {
		t.Errorf("it ran: %s, %v", output, err)
	}
}

func TestEnvtestTakesTheAssets(t *testing.T) {
	o := realOptions(t, "envtest")
	assets, err := Build(t.Context(), o.Cache, nil)
	if err != nil {
		t.Fatal(err)
	}
	environment := &envtest.Environment{BinaryAssetsDirectory: assets.Dir}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer environment.Stop()
	admin, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, admin, configMap("made-in-envtest"))
}
