package operator_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// formerFinalizer is that of an operator that another one replaces.
const formerFinalizer = "former.example.com/cleanup"

// expectEvent waits for an Event about a Site that contains a text.
func (f *fixture) expectEvent(text string) {
	f.t.Helper()
	f.Eventually("an Event says "+text, func() error {
		if got := f.events(); !slices.ContainsFunc(got, func(note string) bool { return strings.Contains(note, text) }) {
			return fmt.Errorf("got %q", got)
		}
		return nil
	})
}

// A parent that an operator has left its finalizer on hangs for ever once it is deleted.
func TestDeletedParentSaysForWhichFinalizersOfOthersItWaits(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(*siteDefinition){
		"without a finalizer of the operator": func(*siteDefinition) {},
		"with a finalizer of the operator":    func(d *siteDefinition) { d.Teardown = operator.TeardownOrdered },
	} {
		t.Run(name, func(t *testing.T) {
			f := prepare(t, &author{sync: desire(desireOne), alter: alter})
			f.site.Finalizers = []string{formerFinalizer}
			f.Create(f.site)
			f.status("Ready", "Ready")
			f.Settled()
			f.Delete(f.site)
			f.Eventually("Ready names the finalizer", func() error {
				f.Get(f.site)
				ready := meta.FindStatusCondition(f.site.Status.Conditions, "Ready")
				if ready.Status != metav1.ConditionFalse || ready.Reason != "Finalizing" || !strings.Contains(ready.Message, "of others: "+formerFinalizer) {
					return fmt.Errorf("it is %+v", ready)
				}
				return nil
			})
			f.Settled()
			if got := f.events(); strings.Contains(fmt.Sprint(got), "Finalizing") {
				t.Errorf("events at once: %v", got)
			}
			f.Advance(2 * time.Minute)
			f.expectEvent("Warning Finalizing: is being deleted, and waits for the finalizers of others: " + formerFinalizer)
			requests := f.Settled()
			f.expectRequests(requests)
			f.Update(f.site, func() { f.site.Finalizers = nil })
			f.Gone(f.site, configMap("web", ""))
		})
	}
}

// The status of a paused parent stays as it is.
func TestDeletedParentThatIsPausedSaysNothingOfFinalizersOfOthers(t *testing.T) {
	f := prepare(t, &author{sync: desire(desireOne)})
	f.site.Finalizers = []string{formerFinalizer}
	f.Create(f.site)
	f.status("Ready", "Ready")
	f.annotate(pauseKey, "true")
	f.status("Suspended", "Paused")
	before := f.Settled()
	f.Delete(f.site)
	f.Reconciled(f.site)
	f.Settled()
	f.expectRequests(before)
	f.Update(f.site, func() { f.site.Finalizers = nil })
	f.Gone(f.site)
}

// What the operator before has left in a parent is said while the parent still lives.
func TestTakeoverSaysWhatIsLeftInTheParent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ from, says []string }{
		"of an operator that nobody names": {says: []string{"Warning TakenOver: has the finalizers of others " + formerFinalizer}},
		"of one that takeOverFrom names": {from: []string{formerManager}, says: []string{
			"Warning TakenOver: has the finalizers of others " + formerFinalizer,
			`of the operator that was replaced, which nobody manages any more: .metadata.annotations.former.example.com/state of site-manager; .metadata.finalizers[="` + formerFinalizer + `"] of site-manager`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := before(t)
			patched := f.site.DeepCopyObject().(*testapi.Site)
			patched.Finalizers, patched.Annotations = []string{formerFinalizer}, map[string]string{"former.example.com/state": "1"}
			if err := f.Client.Patch(t.Context(), patched, client.MergeFrom(f.site), client.FieldOwner(formerManager)); err != nil {
				t.Fatal(err)
			}
			f.succeed(takingOver(desire(desireOne), test.from...))
			f.status("Ready", "Ready")
			for _, text := range test.says {
				f.expectEvent(text)
			}
			f.Update(f.site, func() { f.site.Finalizers = nil })
		})
	}
}

// A parent that has nothing of others gets no Event at a takeover.
func TestTakeoverSaysNothingOfAParentThatNobodyElseHasWritten(t *testing.T) {
	f := before(t)
	f.succeed(takingOver(desire(desireOne), formerManager))
	f.status("Ready", "Ready")
	if got := f.events(); len(got) > 0 {
		t.Errorf("events are %v", got)
	}
}

// kubebuilder's tutorial names its finalizer as the runtime does. It is the runtime's then, which removes it.
func TestFinalizerOfTheSameNameLetsTheParentGo(t *testing.T) {
	f := before(t)
	f.Update(f.site, func() { f.site.Finalizers = []string{testapi.Version.Group + "/finalizer"} })
	secret := configMap("left", "")
	f.madeFor(f.site, formerManager, secret)
	f.succeed(&author{sync: desire(desireOne)})
	f.status("Ready", "Ready")
	f.Gone(secret) // the finalizer is no sign that this operator has reconciled the parent
	f.Eventually("the finalizer is gone", func() error {
		if f.Get(f.site); len(f.site.Finalizers) > 0 {
			return errors.New("it is not")
		}
		return nil
	})
	f.Delete(f.site)
	f.Gone(f.site)
}
