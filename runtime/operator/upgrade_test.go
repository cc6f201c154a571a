package operator_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/internal/longtest"
)

// upgradeSitesKey is the variable that says how many Sites are there in an upgrade.
const upgradeSitesKey = "OPGEN_UPGRADE_SITES"

// The operator of the former runtime works on many Sites, the one of the current runtime
// takes over, and the former one takes over again: first when there is nothing to do,
// and then in the middle of a change. The replica that is to take over is started beside
// the one that works, as a rolling update does.
func TestUpgradeOfTheRuntimeIsNoChange(t *testing.T) {
	longtest.Skip(t, "it builds two operators that take a fleet over from each other")
	root, ref := formerRuntime(t)
	f := &fleet{fixture: alone(t), text: "none"}
	formerFile, currentFile := buildUpgradePrograms(t, root, ref)
	sites := sitesOfFleet(t, os.Getenv("OPGEN_EXPLORE") == "all", os.Getenv(upgradeSitesKey))
	former, current := "the runtime of "+ref, "the current runtime"

	working := f.launchReplica(former, formerFile)
	f.add(sites)
	f.converges()
	f.settles(working)
	f.logWrites("created with "+former, working.writes(0))
	f.changes(working, "one")

	working = f.handsOver(working, f.standsBy(current, currentFile))
	f.changes(working, "two")
	f.add(max(1, sites/4)) // whose children the former runtime has not made
	f.converges()
	f.settles(working)

	working = f.handsOver(working, f.standsBy(former, formerFile))
	f.changes(working, "three")

	working = f.handsOverAtWork(working, f.standsBy(current, currentFile), "four")
	f.handsOverAtWork(working, f.standsBy(former, formerFile), "five")
}

// standsBy starts a replica that waits for its turn.
func (f *fleet) standsBy(runtime, file string) *fleetReplica {
	f.t.Helper()
	next := f.launchReplica(runtime, file)
	f.waits("the next replica waits for its turn", func() error {
		if reads, writes := next.leases(); reads < 3 && writes == 0 {
			return fmt.Errorf("it has looked %d times who leads", reads)
		}
		return nil
	})
	if _, writes := next.leases(); writes > 0 {
		f.t.Fatalf("the replica with %s takes a lease while another one leads", runtime)
	}
	if writes := next.writes(0); len(writes) > 0 {
		f.t.Errorf("the replica with %s writes while another one leads: %v", runtime, writes[0])
	}
	return next
}

// handsOver stops the replica that works, and checks what the next one does with Sites
// that are as desired.
func (f *fleet) handsOver(working, next *fleetReplica) *fleetReplica {
	f.t.Helper()
	before, began := f.uids(), time.Now()
	working.signal()
	f.ends(working)
	f.settles(next)
	f.converges()
	f.t.Logf("%d Sites handed over from %s to %s in %.1fs, with %s", len(f.sites), working.runtime, next.runtime, time.Since(began).Seconds(), next.totals())
	f.logWrites("handed over to "+next.runtime, next.writes(0))
	f.expectWrites(next.writes(0), 0, nil, 1)
	f.expectSame(before)
	return next
}

// handsOverAtWork stops the replica that works while there is much to do, which the next
// one is to finish.
func (f *fleet) handsOverAtWork(working, next *fleetReplica, text string) *fleetReplica {
	f.t.Helper()
	before, first, began, most := f.uids(), len(working.since(0)), time.Now(), max(10, len(f.sites)/10)
	f.change(text)
	f.add(most)
	working.signal()
	f.add(most)
	f.ends(working)
	f.converges()
	f.settles(next)
	f.t.Logf("%d Sites handed over from %s to %s at work in %.1fs", len(f.sites), working.runtime, next.runtime, time.Since(began).Seconds())
	firsts, seconds := working.writes(first), next.writes(0)
	f.logWrites("at work with "+working.runtime, firsts)
	f.logWrites("at work with "+next.runtime, seconds)
	f.expectNoOverlap(firsts, seconds)
	limits := map[string]int{"configmaps": 1, "widgets": 2, "sites/status": 3}
	if working.runtime == "the current runtime" { // the former one may not know all annotations, and removes those
		limits["configmaps"]++
		limits["widgets"]++
	}
	f.expectWrites(slices.Concat(firsts, seconds), 2*most, limits, 0)
	f.expectSame(before)
	f.hasOnlyDesired()
	return next
}

// ends waits until a replica that was told to has ended.
func (f *fleet) ends(r *fleetReplica) {
	f.t.Helper()
	if state := r.exits(30 * time.Second); state.ExitCode() != 0 {
		f.t.Errorf("the replica with %s ended with %s", r.runtime, state)
	}
}

// changes gives the Sites another text, and checks that this reaches the children that
// have it and no others.
func (f *fleet) changes(working *fleetReplica, text string) {
	f.t.Helper()
	before, first, began := f.uids(), len(working.since(0)), time.Now()
	f.change(text)
	f.converges()
	f.settles(working)
	f.t.Logf("%d Sites changed with %s in %.1fs", len(f.sites), working.runtime, time.Since(began).Seconds())
	writes := working.writes(first)
	f.logWrites("changed with "+working.runtime, writes)
	// The first field of a Widget that is dropped takes a write of its field managers.
	f.expectWrites(writes, 0, map[string]int{"configmaps": 1, "widgets": 2, "sites/status": 2}, 0)
	f.expectSame(before)
	f.hasOnlyDesired()
}

// expectWrites checks that the writes create the children of so many Sites and delete
// none, and that each object has at most as many others as its resource may have, or rest.
func (f *fleet) expectWrites(writes []recordedRequest, sites int, most map[string]int, rest int) {
	f.t.Helper()
	creates, counts, excess := map[string]int{}, map[string]int{}, map[string]recordedRequest{}
	for _, write := range writes {
		switch write.verb {
		case http.MethodPost:
			creates[write.resource]++
			continue
		case http.MethodDelete:
			excess["a deletion of "+write.resource] = write
		}
		limit, ok := most[write.resource]
		if !ok {
			limit = rest
		}
		object := write.resource + " " + write.name
		if counts[object]++; counts[object] > limit {
			excess[fmt.Sprintf("more than %d writes of the same of %s", limit, write.resource)] = write
		}
	}
	for what, write := range excess {
		f.t.Errorf("%s, such as %v", what, write)
	}
	expected := map[string]int{}
	for resource, children := range childrenOfSite {
		if sites > 0 {
			expected[resource] = sites * children
		}
	}
	if !maps.Equal(creates, expected) {
		f.t.Errorf("creates are %v, want %v", creates, expected)
	}
}

// expectNoOverlap checks that a replica began to write when the one before it had ended.
func (f *fleet) expectNoOverlap(firsts, seconds []recordedRequest) {
	f.t.Helper()
	if len(firsts) == 0 || len(seconds) == 0 {
		f.t.Fatalf("one replica made %d writes and the next one %d, want some of each", len(firsts), len(seconds))
	}
	last := slices.MaxFunc(firsts, func(a, b recordedRequest) int { return a.end.Compare(b.end) })
	next := slices.MinFunc(seconds, func(a, b recordedRequest) int { return a.begun.Compare(b.begun) })
	pause := next.begun.Sub(last.end)
	f.t.Logf("the next replica began to write %.3fs after the one before it had ended", pause.Seconds())
	if pause <= 0 {
		f.t.Errorf("two replicas write at once: %v, and then %v", last, next)
	}
}

// expectSame checks that the children are those that were there before.
func (f *fleet) expectSame(before map[string]types.UID) {
	f.t.Helper()
	now, recreated := f.uids(), 0
	for child, uid := range before {
		if now[child] != uid {
			recreated++
		}
	}
	if recreated > 0 {
		f.t.Errorf("%d of %d children were recreated", recreated, len(before))
	}
	f.t.Logf("%d of %d children recreated", recreated, len(before))
}

// logWrites logs how many writes there were of each resource.
func (f *fleet) logWrites(when string, writes []recordedRequest) {
	counts := map[string]int{}
	for _, write := range writes {
		counts[fmt.Sprintf("%s %s %d", write.verb, write.resource, write.code)]++
	}
	var texts []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		texts = append(texts, fmt.Sprintf("%s: %d", what, counts[what]))
	}
	f.t.Logf("%d Sites %s: %d writes %v", len(f.sites), when, len(writes), texts)
}
