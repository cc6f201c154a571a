package explore

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/truth"
)

// Life has the fields of operatortest.Life, which says what they mean.
type Life struct {
	Parents []func(name string) client.Object
	Related func(parent client.Object) []client.Object
	AtOnce  int
}

// Run explores an operator: it plans the trials, runs them, and reports each as a subtest.
func Run(t *testing.T, config instance.Config, life Life) {
	t.Helper()
	x := startExploration(t, config, life)
	defer x.dropPlanned()
	plan := x.planTrials()
	if pattern := flagValue("test.run"); len(plan.all()) == 0 && selectsSubtests(pattern, t.Name()) {
		t.Fatalf("no case matches -run '%s'\nthe cases depend on OPGEN_EXPLORE, EXHAUSTIVE and OPGEN_EXPLORE_SEED: set them as for the test that failed", pattern)
	}
	t.Logf("%s exploration, seed %s: %d cases", x.extent, x.seed, len(plan.all()))
	x.runLives(plan.lives)
	x.runTrials(plan.trials)
	x.runQuotas(plan.quotas)
	x.runRelated(plan.related)
	x.exploreElsewhere(plan)
	t.Logf("%s exploration, seed %s, %d cases\n%s", x.extent, x.seed, len(plan.all()), tableOf(plan.all()))
}

// runTrials runs trials in rounds, each with the trials of one time.
func (x *exploration) runTrials(trials []*trial) {
	x.t.Helper()
	for _, when := range []string{running, afterCreate, beforeWrite, down} {
		now := slices.DeleteFunc(slices.Clone(trials), func(one *trial) bool { return one.time != when })
		x.runRounds(when, now, func(*trial, []*trial) bool { return true }, func(parents []*exploredParent, _ *trial) { x.runRound(parents, when) })
	}
}

// exploration is the state of Explore.
type exploration struct {
	t          *testing.T
	ctx        context.Context
	operator   *instance.Operator
	checker    *truth.Checker
	config     instance.Config // as the test has it
	life       Life
	author     *changingAuthor
	between    *interposer
	patience   time.Duration
	extent     string
	seed       string
	names      atomic.Int64
	shown      *shownObjects
	home       string        // the namespace of new parents; empty: that of the test
	asOperator client.Client // with the permissions of the operator; nil: they are not limited
	isWide     bool          // the operator works in all namespaces, on the parents of the test

	planned  []*exploredParent                       // of which the trials are planned; they live as long as the exploration
	siblings []map[string]*unstructured.Unstructured // by variant and child
	samples  []map[string]map[string]any             // what is desired of these
	usual    []usualParent                           // by variant
}

// usualParent is a parent that nobody disturbs.
type usualParent struct {
	conditions truth.Conditions
	finalizers []string
}

func startExploration(t *testing.T, config instance.Config, life Life) *exploration {
	t.Helper()
	x := &exploration{
		t: t, ctx: t.Context(), config: config, life: life, author: newChangingAuthor(), between: newInterposer(), shown: newShownObjects(), patience: instance.Patience() / 3,
		extent: explorationExtent(), seed: cmp.Or(os.Getenv("OPGEN_EXPLORE_SEED"), defaultSeed),
	}
	usual := 64
	if x.extent == exhaustive {
		usual = 160 // it is all about how long it takes
	}
	x.life.AtOnce = cmp.Or(life.AtOnce, usual)
	inner := config.Transport
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
	x.checker = truth.New(t, config)
	x.operator = x.checker.Operator
	x.operator.Author, x.operator.Shown = x.author.changeContent, x.shown.addSnapshot
	x.asOperator = x.operator.ClientAsOperator()
	x.checker.Run()
	return x
}

// isEnough reports whether the exploration stops at a failure.
func (x *exploration) isEnough() bool { return x.t.Failed() && flagValue("test.failfast") == "true" }

// newName returns a name for a parent that occurs in no other text and no other test.
func (x *exploration) newName() string {
	return fmt.Sprintf("x%s%04dx", strings.TrimPrefix(x.operator.Namespace, instance.NamespacePrefix), x.names.Add(1))
}
