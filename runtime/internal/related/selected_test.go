package related

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var configMaps = corev1.SchemeGroupVersion.WithKind("ConfigMap")

func nameOf(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "default", Name: name}
}

// Parents that come all the time, each with a name of its own, do not keep the names of others from
// being watched.
func TestNamesAreWatchedAlthoughNewOnesCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opened []time.Duration
		began := time.Now()
		watches := NewWatches(Caches{New: func(func(*cache.Options) error) (cache.Cache, error) {
			opened = append(opened, time.Since(began))
			return nil, errors.New("there is no API server")
		}})
		selected, entry := watches.Selected(configMaps, &corev1.ConfigMap{}, nil), NewIndex()
		parentOf := func(i int) types.NamespacedName { return nameOf(fmt.Sprint("parent", i)) }
		for i := range 20 {
			selected.retain(reader{entry, parentOf(i)}, []types.NamespacedName{nameOf(fmt.Sprint("secret", i))})
			if i >= 10 {
				selected.Release(entry, parentOf(i-10))
			}
			time.Sleep(900 * time.Millisecond)
		}
		if len(opened) == 0 || opened[0] > 6*time.Second {
			t.Errorf("watches of names were opened after %v", opened)
		}
		selected.settled.Stop()
	})
}

// A test that changes an object next does not wait for the watch of its name to be due.
func TestOpenNowDoesNotWaitForMoreNames(t *testing.T) {
	opened := 0
	watches := NewWatches(Caches{New: func(func(*cache.Options) error) (cache.Cache, error) {
		opened++
		return nil, errors.New("there is no API server")
	}})
	selected, entry := watches.Selected(configMaps, &corev1.ConfigMap{}, nil), NewIndex()
	if !watches.OpenNow() {
		t.Error("a watch is being opened although no parent names an object")
	}
	selected.retain(reader{entry, nameOf("parent")}, []types.NamespacedName{nameOf("secret")})
	if watches.OpenNow() || opened != 1 {
		t.Errorf("the watch of the name is open after %d attempts", opened)
	}
	selected.settled.Stop()
}

// versionsReader is a reader of one object, whose version a test sets.
type versionsReader struct {
	client.Reader
	version string
	reads   int
}

func (r *versionsReader) Get(_ context.Context, name client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	r.reads++
	object.SetNamespace(name.Namespace)
	object.SetName(name.Name)
	object.SetUID("1")
	object.SetResourceVersion(r.version)
	return nil
}

// An API server that is restored from a backup shows an earlier version again.
func TestAnEarlierVersionIsReadAgain(t *testing.T) {
	live := &versionsReader{version: "2"}
	watches := NewWatches(Caches{Trim: func(object any) (any, error) { return object, nil }})
	selected, object := watches.Selected(configMaps, &corev1.ConfigMap{}, live), &selectedObject{name: nameOf("a")}
	for _, step := range []struct{ there, shown, expect string }{
		{"2", "1/1", "2"}, // the watch is behind
		{"2", "1/2", "2"},
		{"1", "1/1", "1"}, // the backup
	} {
		live.version = step.there
		read, err := selected.readLive(t.Context(), object, step.shown)
		if err != nil || read.GetResourceVersion() != step.expect {
			t.Errorf("version %s is read in place of %s, %v", read.GetResourceVersion(), step.expect, err)
		}
	}
	if live.reads != 2 {
		t.Errorf("%d reads", live.reads)
	}
}
