//go:build linux

package cluster

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/opgen-dev/opgen/internal/cluster/imagearchive"
)

// nodeOptions are for an instance with a node. The parts take minutes to build, so such tests run only where a
// variable asks for them.
func nodeOptions(t *testing.T, name string) Options {
	t.Helper()
	if os.Getenv("OPGEN_TEST_NODE") == "" {
		t.Skip("skipped without OPGEN_TEST_NODE=1: it builds a node for minutes, and starts it as root")
	}
	if err := CheckNode(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	cache, err := DefaultCache()
	if err != nil {
		t.Fatal(err)
	}
	assets, err := BuildNode(t.Context(), cache, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Name: name, Node: true, Assets: assets, Cache: cache, State: StateDir{Dir: t.TempDir()}}
}

func TestNode(t *testing.T) {
	o := nodeOptions(t, "node")
	before := hostState(t, o.State.Dir)
	instance := up(t, o).Instance
	expectSameHostButCgroups(t, before, hostState(t, o.State.Dir))
	node := newNodeUnderTest(t, instance)
	node.createOrphan(t)
	archive := writeTestImage(t, loadedImage)
	t.Run("an archive is loaded", func(t *testing.T) { node.expectLoaded(t, archive) })
	t.Run("restricted Pods run", func(t *testing.T) { node.expectPods(t) })
	t.Run("a Service answers Pods", func(t *testing.T) { node.expectService(t) })
	t.Run("a claim keeps its data", func(t *testing.T) { node.expectVolume(t) })
	t.Run("kubectl reads logs and executes", func(t *testing.T) { node.expectKubectl(t) })
	t.Run("a pushed image runs", func(t *testing.T) { node.expectRegistry(t) })
	t.Run("another Up finds it", func(t *testing.T) {
		again, err := Up(t.Context(), o)
		if err != nil || !again.Existed || again.Server != instance.Server {
			t.Errorf("Up of the running node = %+v, %v", again, err)
		}
	})
	t.Run("an orphaned Pod is collected", func(t *testing.T) { node.expectOrphanCollected(t) })
	namespace := pidNamespace(instance.Processes[0].PID)
	if len(processesOf(t, namespace)) < len(nodeProgramNames()) {
		t.Errorf("the namespace has the processes %v alone", processesOf(t, namespace))
	}
	if _, err := Down(t.Context(), o.State, o.Name); err != nil {
		t.Error(err)
	}
	if left := processesOf(t, namespace); len(left) > 0 {
		t.Errorf("the processes %v are left", left)
	}
	expectHostOf(t, o, before)
}

// expectHostOf compares the host with what it was before the first instance of the options.
func expectHostOf(t *testing.T, o Options, before host) {
	t.Helper()
	after := hostState(t, o.State.Dir)
	after["files"] = before["files"]
	expectSameHost(t, before, after)
	expectEmpty(t, o.State.clustersDir())
}

// expectSameHostButCgroups is for a node that runs: of the host, it has its directory and its cgroup alone.
func expectSameHostButCgroups(t *testing.T, before, now host) {
	t.Helper()
	now["cgroups"], now["files"] = before["cgroups"], before["files"]
	expectSameHost(t, before, now)
}

func TestKilledUpOfANode(t *testing.T) {
	o := nodeOptions(t, "killed")
	before := hostState(t, o.State.Dir)
	for _, at := range []string{supervisorFile, recordFile, containerd + ".log", "kubelet.log"} {
		t.Run("at "+at, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				defer cancel()
				_ = waitUntil(t.Context(), func() bool {
					_, err := os.Stat(filepath.Join(o.State.instanceDir(o.Name), at))
					return err == nil
				})
			}()
			if _, err := Up(ctx, o); !errors.Is(err, context.Canceled) {
				t.Errorf("Up = %v, expected to be interrupted", err)
			}
			expectHostOf(t, o, before)
		})
	}
}

func TestTwoNodesSideBySide(t *testing.T) {
	first := nodeOptions(t, "first")
	second := first
	second.Name = "second"
	one, two := up(t, first), up(t, second)
	if one.Server == two.Server || one.Node.Registry == two.Node.Registry {
		t.Errorf("two instances at %s and %s, with the registries %s and %s", one.Server, two.Server, one.Node.Registry, two.Node.Registry)
	}
	if _, err := Find(first.State, "first"); err != nil {
		t.Errorf("the second hurt the first: %v", err)
	}
	if err := killProcess(one.Processes[0].PID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first is gone", func() bool { return !one.Processes[0].Running() })
	again := up(t, first)
	if again.Existed || len(again.Gone) == 0 {
		t.Errorf("Up of a killed node = %+v, expected a new start", again)
	}
}

func TestNodeOnAFullDisk(t *testing.T) {
	o := nodeOptions(t, "full")
	dir := t.TempDir()
	if output, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("skipped: cannot mount a small disk: %s", output)
	}
	defer func() {
		if output, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("%s", output)
		}
	}()
	o.State.Dir = dir
	_, err := Up(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("Up = %v, expected it to say that the disk is full", err)
	}
	expectEmpty(t, o.State.clustersDir())
}

func TestNodeBesideAControlPlane(t *testing.T) {
	o := nodeOptions(t, "mixed")
	without := o
	without.Node = false
	up(t, without)
	if _, err := Up(t.Context(), o); !errors.Is(err, ErrWithoutNode) {
		t.Errorf("Up with a node = %v, expected ErrWithoutNode", err)
	}
	if _, err := Down(t.Context(), o.State, o.Name); err != nil {
		t.Fatal(err)
	}
	up(t, o)
	outcome, err := Up(t.Context(), without)
	if err != nil || !outcome.Existed || outcome.Node == nil {
		t.Errorf("Up without a node = %+v, %v, expected the one that runs", outcome, err)
	}
}

// writeTestImage builds testdata/web and returns an archive of it.
func writeTestImage(t *testing.T, name string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "web")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "./testdata/web")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s", output)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := os.Create(program + ".tar")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if err := (imagearchive.Program{Name: name, Path: "/web", Data: data, User: "65532:65532"}).Write(archive); err != nil {
		t.Fatal(err)
	}
	return archive.Name()
}

// podDeadline is how long a Pod may take from being scheduled to Ready.
const podDeadline = 5 * time.Second

// readyAfter returns how long a Pod took from being scheduled to Ready, false if it is not Ready.
func readyAfter(pod corev1.Pod) (time.Duration, bool) {
	var scheduled, ready time.Time
	for _, condition := range pod.Status.Conditions {
		switch {
		case condition.Status != corev1.ConditionTrue:
		case condition.Type == corev1.PodScheduled:
			scheduled = condition.LastTransitionTime.Time
		case condition.Type == corev1.PodReady:
			ready = condition.LastTransitionTime.Time
		}
	}
	return ready.Sub(scheduled), !ready.IsZero()
}

func restConfig(t *testing.T, instance *Instance) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", instance.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	return config
}
