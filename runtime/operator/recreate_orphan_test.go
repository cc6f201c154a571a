package operator_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestClaimsOfAStatefulSetGrowAndItsPodsStay(t *testing.T) {
	s := startStateful(t)
	before := s.pods()
	s.grow()
	s.adopted("2Gi")
	s.run()
	s.clean()
	s.expectPods(before)
	s.Settled()
	s.Converged(s.site)
}

func TestDependentsGoWithoutThePolicy(t *testing.T) {
	s := startStateful(t, operator.DeleteDependents)
	before := s.pods()
	s.grow()
	s.Eventually("the Pods go", func() error {
		for name, uid := range s.pods() {
			if before[name] == uid {
				return errStays(name)
			}
		}
		return nil
	})
}

type errStays string

func (e errStays) Error() string { return string(e) + " stays" }

// The operator ends at each of the writes of a recreation: the record, the delete, the create, and the
// end of the record.
func TestARecreationThatTheOperatorDoesNotSurviveIsFinished(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"patch sites 1 before crash", "patch sites 1 after crash", "delete statefulsets 1 before crash", "delete statefulsets 1 after crash",
		"create statefulsets 1 before crash", "create statefulsets 1 after crash", "patch sites 2 before crash", "patch sites 2 after crash",
	} {
		t.Run(line, func(t *testing.T) {
			s := startStateful(t)
			before := s.pods()
			fault, err := operatortest.ParseFault(line)
			if err != nil {
				t.Fatal(err)
			}
			s.Inject(fault)
			s.grow()
			s.adopted("2Gi")
			s.run()
			s.clean()
			if s.Struck(fault) == 0 {
				t.Error("the fault has met no request")
			}
			s.expectPods(before)
		})
	}
}

func TestARecreationWaitsUntilTheOldChildIsGone(t *testing.T) {
	s := startStateful(t)
	before := s.pods()
	s.holdDeletion()
	s.grow()
	s.orphaned()
	s.Restart()
	s.Settled()
	if s.creates() != 1 {
		t.Errorf("%d creates while the old StatefulSet exists", s.creates())
	}
	s.endHold()
	s.adopted("2Gi")
	s.run()
	s.clean()
	s.expectPods(before)
}

// Somebody creates an object of the name in between. It adopts the Pods, and is left alone.
func TestAStrangerThatTakesTheNameMeanwhileIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, isDeleted := range []bool{false, true} {
		t.Run(map[bool]string{false: "the parent stays", true: "the parent is deleted"}[isDeleted], func(t *testing.T) {
			s := startStateful(t)
			before := s.pods()
			s.holdDeletion()
			s.grow()
			s.orphaned()
			s.Stop()
			s.endHold()
			s.Gone(s.set)
			s.Create(claimingSet("db", "5Gi"))
			s.adopted("5Gi")
			if isDeleted {
				s.Delete(s.site)
			}
			s.Restart()
			if isDeleted {
				s.Gone(s.site)
			} else {
				s.Eventually("Ready says NameConflict", func() error { return s.expectReason("NameConflict") })
			}
			s.Settled()
			if s.Get(s.set); s.set.DeletionTimestamp != nil || len(s.set.OwnerReferences) > 0 {
				t.Errorf("the stranger is deleted at %v, with owners %v", s.set.DeletionTimestamp, s.set.OwnerReferences)
			}
			s.expectPods(before)
			s.Delete(s.site) // while the stranger exists: without it, a new child had to adopt the Pods
			s.Gone(s.site)
		})
	}
}

// The parent is deleted while its Pods have no owner: they go with it.
func TestAParentThatIsDeletedMeanwhileLeaksNoDependents(t *testing.T) {
	t.Parallel()
	for name, propagation := range map[string]metav1.DeletionPropagation{
		"in the background": metav1.DeletePropagationBackground,
		"in the foreground": metav1.DeletePropagationForeground,
	} {
		for _, isDown := range []bool{false, true} {
			t.Run(map[bool]string{false: name, true: name + ", the operator is down"}[isDown], func(t *testing.T) {
				s := startStateful(t)
				s.holdDeletion()
				s.grow()
				s.orphaned()
				if isDown {
					s.Stop()
				}
				if err := s.Client.Delete(t.Context(), s.site, client.PropagationPolicy(propagation)); err != nil {
					t.Fatal(err)
				}
				s.endHold()
				if isDown {
					s.Gone(s.set)
					s.Restart()
				}
				s.Gone(s.site)
				s.Gone(s.set)
				s.collected()
				if s.creates() != 2 {
					t.Errorf("%d creates, want the first one and one for the adoption", s.creates())
				}
				if s.seen.Load() {
					t.Error("Sync has seen that the parent is being deleted")
				}
			})
		}
	}
}

// Without a status that says so, the runtime gives the new child some time to adopt the dependents.
func TestADeletedParentWaitsForTheAdoptionNoLongerThanItTakes(t *testing.T) {
	s := startStateful(t)
	s.holdDeletion()
	s.grow()
	s.orphaned()
	for name := range s.pods() {
		s.unready(name)
	}
	s.Delete(s.site)
	s.endHold()
	s.adopted("2Gi")
	s.Settled()
	if !s.Get(s.set) || s.set.DeletionTimestamp != nil {
		t.Error("the new StatefulSet was deleted before it had time to adopt the Pods")
	}
	s.Advance(time.Minute)
	s.Gone(s.site)
	s.collected()
}

// A user who deletes the parent with --cascade=orphan keeps the Pods, and what owns them.
func TestCascadeOrphanMeanwhileKeepsEverything(t *testing.T) {
	s := startStateful(t)
	before := s.pods()
	s.holdDeletion()
	s.grow()
	s.orphaned()
	if err := s.Client.Delete(t.Context(), s.site, client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
		t.Fatal(err)
	}
	s.endHold()
	s.adopted("2Gi")
	s.Advance(time.Minute)
	s.Gone(s.site)
	s.Settled()
	if !s.Get(s.set) || s.set.DeletionTimestamp != nil || len(s.set.OwnerReferences) > 0 {
		t.Errorf("the StatefulSet is deleted at %v, with owners %v", s.set.DeletionTimestamp, s.set.OwnerReferences)
	}
	s.expectPods(before)
}

// Sync drops the child while it has yet to adopt the Pods: it goes once it has.
func TestAChildThatIsDroppedTakesTheAdoptedDependentsWithIt(t *testing.T) {
	s := startStateful(t)
	s.holdDeletion()
	s.grow()
	s.orphaned()
	for name := range s.pods() {
		s.unready(name)
	}
	s.endHold()
	s.adopted("2Gi")
	s.isEmpty.Store(true)
	s.Update(s.site, func() { s.site.Spec.Text = "none" })
	s.Settled()
	if !s.Get(s.set) || s.set.DeletionTimestamp != nil {
		t.Error("the new StatefulSet was deleted before it had time to adopt the Pods")
	}
	s.Advance(time.Minute)
	s.Gone(s.set)
	s.collected()
	s.Settled()
	if s.Get(s.site); len(s.site.Finalizers) > 0 || s.site.Annotations[recreatingKey] != "" {
		t.Errorf("the Site has %v and %v", s.site.Finalizers, s.site.Annotations)
	}
}

// Whoever may write the parent writes a record: it names nothing that Sync does not desire.
func TestAForgedRecordOfARecreationDoesNothing(t *testing.T) {
	s := startStateful(t)
	before := s.pods()
	s.Update(s.site, func() {
		metav1.SetMetaDataAnnotation(&s.site.ObjectMeta, recreatingKey, `{"parent":"`+string(s.site.UID)+`","children":{"StatefulSet.apps/`+s.Namespace+`/other":"x","Pod/x":"y"}}`)
	})
	s.clean()
	s.expectPods(before)
	for _, request := range s.Writes() {
		if request.Verb == "delete" || request.Verb == "create" && request.Name == "other" {
			t.Errorf("unexpected request: %s", request)
		}
	}
	s.Delete(s.site)
	s.Gone(s.site)
}
