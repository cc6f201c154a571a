package operatortest

import "sigs.k8s.io/controller-runtime/pkg/client"

// Truthful waits until the operator is settled, makes it reconcile each parent, or all that it
// knows if none is named, and fails the test if the operator reports their children untruthfully.
// [Cluster.Converged] includes this check, and so does the end of each test, for the reconciles
// that have happened. It reports each child and field, the desired and the live value, and the
// Ready condition. It never shows a value of a Secret or of an environment variable.
//
//   - Each value that Sync desires is on the live child, as the API server sets it on a new child, by a
//     dry run. Items of lists are found by the keys that the schema of the kind names; their order is not
//     compared. If the API server refuses the dry run, the live value must equal the desired one.
//   - No field is left that an earlier result of Sync in this test has set and the last one does not,
//     unless the API server sets it by itself or another field manager owns it. No undesired child is
//     left.
//   - No field that nobody desires and nobody owns is as a new child of an earlier result of Sync would have it, where
//     one of the last result would have it otherwise. Items of lists that are not desired are not compared, nor a
//     child of which the dry run is refused.
//   - A child may differ if its strategy allows it (CreateOnly, OnDelete, a rolling update that has not
//     reached it), if it waits for another ([operator.After]), if the parent is paused or disconnected,
//     or if the Ready, Reconciling or Stalled condition of the parent names the child with a reason for
//     it. With the reason ChangedByAdmission, the message has to name the field, too. Progressing and
//     ChildFailed, which are about health, are a reason only for a child that is missing or being
//     deleted. A parent without conditions may have a failed reconcile, or a field manager conflict, that
//     names the child.
//   - The labels, annotations and owner references that make an object a child, and in which the operator
//     records its options, are those of the last result of Sync, also where the rest of the child may
//     differ, unless the operator says that they could not be written.
//   - observedGeneration, of the status and of Ready, is the parent's generation, and Ready is not True
//     while reconciles fail.
//   - No leaked children are left, except orphaned ones. Children with an owner reference are the garbage
//     collector's; Truthful waits for it if it runs.
//   - Two calls of Sync with the same request have the same result and do not change the request;
//     [Config.Impure] switches this off.
//
// The desired state is that of reconciles of the running operator. Another instance of it would
// call the same Sync functions, whose effects and counters a test may check, a second time for
// every reconcile, and cost half a second in each test. The live state never comes from the
// operator's caches or memory.
func (c *Cluster) Truthful(parents ...client.Object) {
	c.t.Helper()
	c.checker.Check(parents)
}
