package operatortest

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/explore"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
)

// Life says which parents [Explore] leads through their lives.
type Life struct {
	// Parents make parents of this name. Each makes parents that have children which
	// those of the others do not have: one function is enough for an operator whose
	// parents all have the same children. Children must be named after their parent,
	// since many parents live at a time. A cluster-scoped parent gets the
	// label test, of which the value is the namespace of the test: let
	// Options.ParentSelector select it where the cluster has other parents.
	Parents []func(name string) client.Object
	// Related makes the related objects of a parent, which are created before it and deleted after it.
	// They must be named after the parent, as children are. An object without a namespace gets that of the
	// parent. Nil: Sync reads none.
	Related func(parent client.Object) []client.Object
	// AtOnce is how many parents live at a time; by default 64, or 160 if EXHAUSTIVE=1.
	AtOnce int
}

// ParentsOf returns functions as [Life] has them from those that return the parent's own
// type.
func ParentsOf[P client.Object](create ...func(name string) P) (parents []func(name string) client.Object) {
	for _, one := range create {
		parents = append(parents, func(name string) client.Object { return one(name) })
	}
	return parents
}

// Explore proves that an operator finds each drift and carries out each change of what
// is desired. It makes parents, and for each child of them
//
//   - a foreign writer changes, removes, empties, extends and reorders each value that
//     Sync desires, changes keys of list items, takes off, alters and copies what makes
//     an object a child, wipes managedFields, and writes as many field managers, or as
//     the operator's own: by update, JSON merge patch, strategic merge patch and
//     forced apply, while the operator runs, while it is down, between its read and its
//     write, and between its creation of the child and the answer.
//   - the parent is created, the desired state of the child changes, the child is deleted,
//     the parent is deleted and made again under the same name, and the child is not
//     desired any more, while a write of the child is refused, lost or late, or the
//     operator crashes at it. Once the child is as desired, the parent must say so.
//   - a changing author has Sync desire another value, none, an empty one, more, or
//     another order, while the operator runs and while it is down.
//   - somebody else copies the child, with what makes it one, in its namespace; or creates such an
//     object in another namespace, also under the operator's name. The operator must neither write to
//     that object nor show it to Sync.
//   - a quota refuses to create the child, and is lifted: the parent must say so meanwhile, no status
//     that Sync commits with the child may be written, and then the child must be created once.
//   - the namespace of the parent is deleted, and then the parent, which must go.
//
// To each related object that Life.Related makes, and to one of each kind that Sync is shown and a child
// controls, such as a Pod of a Deployment,
//
//   - somebody deletes it, takes off its labels, or changes a label or another value, while the operator
//     runs and while it is down, and then takes that back. Each time, the operator must make of the parent
//     what an operator makes of it that has just started, and report it truthfully; in the end, the parent
//     must say nothing of it. What Sync desires of time alone must not change within a second, unless
//     Config.Impure says so.
//
// What Sync desires must be on the child afterwards, and what it does not desire must
// be as the writer left it. A Sync that looks at its children must never miss one whose labels or
// references somebody has taken off. After a change of the author the child must equal one that
// is newly created. Each case is a subtest. Explore prints how to run a case that fails
// again, and in the end a table of what it covered.
//
// By default it makes one case of each path of the desired state, and of each family of
// mutations. OPGEN_EXPLORE=all makes each mutation once, in ways, states and times that
// are combined in pairs, and EXHAUSTIVE=1 makes each in all of them.
// OPGEN_EXPLORE_SEED chooses other combinations, and go test -failfast has it stop at the
// first finding.
//
// Where a child is not desired, no other comes after it: it is taken out of their options After and CreateAfter.
// Nobody changes a child whose strategy is CreateOnly. One that Sync does not desire at first, since
// it waits for another to be ready, is left out, unless Config.Kubelet has the other get ready. Trials
// in a further namespace have the operator started once more, in all namespaces and on the parents of
// these trials alone; they are left out if Config.Roles or Config.User limits the operator. Sync must
// not ask to be called again within two seconds for ever: such an operator never settles. The test is
// skipped if Sync desires no children at all.
func Explore(t *testing.T, config Config, life Life) {
	t.Helper()
	explore.Run(t, instance.Config(config), explore.Life(life))
}
