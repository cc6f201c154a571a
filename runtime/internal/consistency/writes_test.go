package consistency

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestSeen(t *testing.T) {
	wrote := func(w *Writes, in *Source) { w.RecordWrite(in, pod("mine", "20"), time.Unix(0, 0)) }
	opaque := func(w *Writes, in *Source) { w.RecordWrite(in, pod("mine", "a8f"), time.Unix(0, 0)) }
	deleted := func(w *Writes, in *Source) { w.RecordDeletion(in, pod("mine", "20"), time.Unix(0, 0)) }
	gone := func(w *Writes, in *Source) { w.RecordGone(in, pod("mine", "20"), time.Unix(0, 0)) }
	marked := pod("mine", "21")
	marked.Labels = map[string]string{"mine": "yes"}
	isMarked := func(object client.Object) bool { return object.GetLabels()["mine"] != "" }
	labelled := func(w *Writes, in *Source) {
		in.Selects = isMarked
		w.RecordWrite(in, marked, time.Unix(0, 0))
	}
	stripped := func(w *Writes, in *Source) {
		in.Selects = isMarked
		w.RecordWrite(in, pod("mine", "20"), time.Unix(0, 0))
	}
	left := func(version string) func(*Writes, *Source) {
		return func(w *Writes, in *Source) {
			wrote(w, in)
			w.RecordDeparture("mine", version)
		}
	}
	leaving := pod("mine", "21")
	leaving.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}

	for _, test := range []struct {
		name        string
		record      func(*Writes, *Source)
		cache, live *corev1.Pod
		after       time.Duration
		want        bool
	}{
		{name: "nothing written", record: func(*Writes, *Source) {}, want: true},
		{name: "write not there yet", record: wrote, want: false},
		{name: "cache holds the state before the write", record: wrote, cache: pod("mine", "9"), want: false},
		{name: "cache holds the write", record: wrote, cache: pod("mine", "20"), want: true},
		{name: "cache holds a later state, with more digits", record: wrote, cache: pod("mine", "100"), want: true},
		{name: "cache holds an earlier object of the name", record: wrote, cache: pod("old", "9"), want: false},
		{name: "cache holds a later object of the name", record: wrote, cache: pod("new", "30"), want: true},
		{name: "write late, object exists", record: wrote, live: pod("mine", "20"), after: time.Minute, want: false},
		{name: "write late, object gone", record: wrote, after: time.Minute, want: true},
		{name: "write late, name reused", record: wrote, live: pod("new", "30"), after: time.Minute, want: true},
		{name: "write late, object is to be in the cache", record: labelled, live: marked, after: time.Minute, want: false},
		{name: "write late, object has left the cache", record: labelled, live: pod("mine", "21"), after: time.Minute, want: true},
		{name: "written as an object that the cache does not hold", record: stripped, want: true},
		{name: "written as an object that the cache holds no more", record: stripped, cache: marked, want: false},
		{name: "left after the write", record: left("21"), want: true},
		{name: "left before the write", record: left("19"), want: false},
		{name: "left, versions without order", record: left("a8f"), want: false},
		{name: "data restored, cache not yet refilled", record: wrote, cache: pod("mine", "19"), live: pod("mine", "12"), after: time.Minute, want: false},
		{name: "data restored, cache refilled", record: wrote, cache: pod("mine", "12"), live: pod("mine", "12"), after: time.Minute, want: true},
		{name: "data restored, too early to ask", record: wrote, cache: pod("mine", "12"), live: pod("mine", "12"), after: time.Second, want: false},
		{name: "cache behind, someone has deleted the object", record: wrote, cache: pod("mine", "19"), after: time.Minute, want: false},
		{name: "versions without order, cache holds the write", record: opaque, cache: pod("mine", "a8f"), want: true},
		{name: "versions without order, cache holds another state", record: opaque, cache: pod("mine", "0c1"), live: pod("mine", "a8f"), want: false},
		{name: "versions without order, cache is late", record: opaque, cache: pod("mine", "0c1"), live: pod("mine", "a8f"), after: time.Minute, want: false},
		{name: "versions without order, cache holds what the API server does", record: opaque, cache: pod("mine", "77e"), live: pod("mine", "77e"), after: time.Minute, want: true},
		{name: "deletion undone by a restore", record: deleted, cache: pod("mine", "12"), live: pod("mine", "12"), after: time.Minute, want: true},
		{name: "deletion late", record: deleted, cache: pod("mine", "20"), live: leaving, after: time.Minute, want: false},
		{name: "deletion done, cache late", record: deleted, cache: pod("mine", "20"), after: time.Minute, want: false},
		{name: "deletion not there yet", record: deleted, cache: pod("mine", "20"), want: false},
		{name: "deletion under way", record: deleted, cache: leaving, want: true},
		{name: "gone, cache late", record: gone, cache: leaving, want: false},
		{name: "gone, cache late for long", record: gone, cache: leaving, after: time.Minute, want: false},
		{name: "gone", record: gone, want: true},
		{name: "gone, name reused", record: gone, cache: pod("new", "30"), want: true},
		{name: "gone, brought back by a restore", record: gone, cache: leaving, live: leaving, after: time.Minute, want: true},
		{name: "deletion done", record: deleted, want: true},
		{name: "deletion done, name reused", record: deleted, cache: pod("new", "30"), want: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var writes Writes
			test.record(&writes, pods(store{test.cache}))
			seen, err := writes.AreSeen(t.Context(), store{test.live}, time.Unix(0, 0).Add(test.after))
			if err != nil {
				t.Fatal(err)
			}
			if seen != test.want {
				t.Errorf("seen = %v, want %v", seen, test.want)
			}
		})
	}
}

func TestTheAPIServerIsAskedOnceInAWhile(t *testing.T) {
	var writes Writes
	writes.RecordWrite(pods(store{}), pod("mine", "20"), time.Unix(0, 0))
	asked := 0
	for second := range 13 {
		live := countingStore{store{pod("mine", "20")}, &asked}
		if seen, err := writes.AreSeen(t.Context(), live, time.Unix(int64(second), 0)); seen || err != nil {
			t.Fatalf("after %d s: seen = %v, %v", second, seen, err)
		}
	}
	if asked != 2 {
		t.Errorf("the API server was asked %d times in 12 s, want 2", asked)
	}
}

func TestSeenWritesAreForgotten(t *testing.T) {
	var writes Writes
	cache := store{pod("mine", "20")}
	writes.RecordWrite(pods(&cache), pod("mine", "20"), time.Unix(0, 0))
	if seen, err := writes.AreSeen(t.Context(), store{}, time.Unix(0, 0)); !seen || err != nil {
		t.Fatalf("seen = %v, %v, want the write to be seen", seen, err)
	}
	cache.pod = nil
	if seen, err := writes.AreSeen(t.Context(), store{}, time.Unix(0, 0)); !seen || err != nil {
		t.Errorf("seen = %v, %v, want a write that was seen once to matter no more", seen, err)
	}
}

func pods(cache client.Reader) *Source {
	return &Source{Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Cache: cache, Empty: new(corev1.Pod)}
}

func pod(uid types.UID, version string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", UID: uid, ResourceVersion: version}}
}

// store holds one pod, or none.
type store struct{ pod *corev1.Pod }

func (s store) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	if s.pod == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, key.Name)
	}
	s.pod.DeepCopyInto(object.(*corev1.Pod))
	return nil
}

func (s store) List(context.Context, client.ObjectList, ...client.ListOption) error {
	panic("not used")
}

// countingStore counts how often it is read.
type countingStore struct {
	store
	reads *int
}

func (s countingStore) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	*s.reads++
	return s.store.Get(ctx, key, object, options...)
}
