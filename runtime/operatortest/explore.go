package operatortest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Life says which parents [Explore] leads through their lives.
type Life struct {
	// Parents make parents of this name. Each makes parents that have children which
	// those of the others do not have: one function is enough for an operator whose
	// parents all have the same children. Children must be named after their parent,
	// since many parents live at a time. A parent that lies in no namespace gets the
	// label test, of which the value is the namespace of the test: let
	// Options.ParentSelector select it where the cluster has other parents.
	Parents []func(name string) client.Object
	// KnownFailures is a file of names of cases that fail, one in a line, as a failure
	// prints them. A case that is listed and passes fails, too, unless its line begins
	// with "sometimes ": it depends on which of two requests comes first. Lines that
	// begin with # are comments. Empty: no failure is known.
	KnownFailures string
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
// Nobody changes a child whose strategy is CreateOnly. One that Sync does not desire at first,
// since it waits for another to be ready, is left out. Trials in a further namespace have the
// operator started once more, in all namespaces and on the parents of these trials alone; they are
// left out if Config.Roles or Config.User limits the operator. Sync must not ask to be called again
// within two seconds for ever: such an operator never settles. The test is skipped if Sync desires
// no children at all.
func Explore(t *testing.T, config Config, life Life) {
	t.Helper()
	x := startExploration(t, config, life)
	plan := planTrials(x)
	t.Logf("%s exploration, seed %s: %d cases", x.extent, x.seed, len(plan.all()))
	runLives(x, plan.lives)
	runTrials(x, plan.trials)
	runQuotas(x, plan.quotas)
	exploreElsewhere(x, config, plan)
	t.Logf("%s exploration, seed %s, %d cases\n%s", x.extent, x.seed, len(plan.all()), tableOf(plan.all()))
}

// runTrials runs trials in rounds, each with the trials of one time.
func runTrials(x *exploration, trials []*trial) {
	x.t.Helper()
	for _, when := range []string{running, afterCreate, beforeWrite, down} {
		now := slices.DeleteFunc(slices.Clone(trials), func(one *trial) bool { return one.time != when })
		runRounds(x, when, now, func(*trial, []*trial) bool { return true }, func(parents []*exploredParent, _ *trial) { runRound(x, parents, when) })
	}
}

// exploration is the state of Explore.
type exploration struct {
	t        *testing.T
	ctx      context.Context
	c        *Cluster
	life     Life
	author   *changingAuthor
	between  *interposer
	shapes   *shapes
	patience time.Duration
	extent   string
	seed     string
	known    map[string]expectation
	names    atomic.Int64
	shown    *shownChildren
	home     string // the namespace of new parents; empty: that of the test
	isWide   bool   // the operator works in all namespaces, on the parents of the test
	truth    sync.Mutex

	siblings []map[string]*unstructured.Unstructured // by variant and child
	samples  []map[string]map[string]any             // what is desired of these
	usual    []usualParent                           // by variant
}

// usualParent is a parent that nobody disturbs.
type usualParent struct {
	conditions
	finalizers []string
}

func startExploration(t *testing.T, config Config, life Life) *exploration {
	t.Helper()
	x := &exploration{
		t: t, ctx: t.Context(), life: life, author: newChangingAuthor(), between: newInterposer(), shown: newShownChildren(), patience: 20 * time.Second,
		extent: explorationExtent(), seed: cmp.Or(os.Getenv("OPGEN_EXPLORE_SEED"), defaultSeed),
	}
	usual := 64
	if x.extent == exhaustive {
		usual = 160 // it is all about how long it takes
	}
	x.life.AtOnce = cmp.Or(life.AtOnce, usual)
	var err error
	if x.known, err = readKnownFailures(life.KnownFailures); err != nil {
		t.Fatal(err)
	}
	inner := config.Transport
	config.author, config.shown = x.author.changeContent, x.shown.addSnapshot
	config.Transport = func(next http.RoundTripper) http.RoundTripper {
		if inner != nil {
			next = inner(next)
		}
		return x.between.wrapTransport(next)
	}
	options := config.Options
	config.Options = func(o *operator.Options) {
		o.PruneLimit = -1 // an author who drops the children of many parents is a case here
		if options != nil {
			options(o)
		}
	}
	x.c = Start(t, config)
	if x.shapes, err = newShapes(x.c.server); err != nil {
		t.Fatal(err)
	}
	return x
}

// isEnough reports whether the exploration stops at a failure.
func (x *exploration) isEnough() bool { return x.t.Failed() && flagValue("test.failfast") == "true" }

// newName returns a name for a parent that occurs in no other text and no other test.
func (x *exploration) newName() string {
	return fmt.Sprintf("x%s%04dx", strings.TrimPrefix(x.c.Namespace, namespacePrefix), x.names.Add(1))
}

// expectation says whether a case is known to fail.
type expectation string

const (
	mustPass expectation = ""
	mustFail expectation = "fails"
	mayFail  expectation = "fails sometimes"
)

// readKnownFailures reads the names of cases that are known to fail.
func readKnownFailures(file string) (map[string]expectation, error) {
	known := map[string]expectation{}
	if file == "" {
		return known, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, ok := strings.CutPrefix(line, "sometimes "); ok {
			known[name] = mayFail
			continue
		}
		known[line] = mustFail
	}
	return known, nil
}
