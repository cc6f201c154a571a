package operator_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// upgradeSitesKey is the variable that says how many Sites are there in an upgrade.
const upgradeSitesKey = "OPGEN_UPGRADE_SITES"

// The operator of the former runtime works on many Sites, the one of the current runtime
// takes over, and the former one takes over again. Each time the replica that is to
// take over is started beside the one that works, as a rolling update does.
func TestUpgradeOfTheRuntimeIsNoChange(t *testing.T) {
	root, ref := formerRuntime(t)
	f := &fleet{fixture: alone(t), text: "none"}
	formerFile, currentFile := buildUpgradePrograms(t, root, ref)
	sites := sitesOfFleet(t, os.Getenv("OPGEN_EXPLORE") == "all", os.Getenv(upgradeSitesKey))

	working := f.launchReplica("the runtime of "+ref, formerFile)
	f.add(sites)
	f.converges()
	f.settles(working)
	f.logWrites("created by "+working.runtime, working, 0)
	f.changes(working, "one")

	working = f.handsOver(working, "the current runtime", currentFile)
	f.changes(working, "two")
	f.add(max(1, sites/4)) // whose children the former runtime has not made
	f.converges()
	f.settles(working)

	working = f.handsOver(working, "the runtime of "+ref, formerFile)
	f.changes(working, "three")
}

// handsOver starts a replica beside the one that works, stops that one, and checks what
// the next one does with Sites that are as desired.
func (f *fleet) handsOver(working *fleetReplica, runtime, file string) *fleetReplica {
	f.t.Helper()
	before := f.uids()
	next := f.launchReplica(runtime, file)
	f.waits("the next replica waits for its turn", func() error {
		if reads := next.leaseReads(); reads < 3 {
			return fmt.Errorf("it has looked %d times who leads", reads)
		}
		return nil
	})
	if writes := next.writes(0); len(writes) > 0 {
		f.t.Errorf("the replica with %s writes while another one leads: %v", next.runtime, writes[0])
	}
	stopped := time.Now()
	working.signal()
	if state := working.exits(30 * time.Second); state.ExitCode() != 0 {
		f.t.Errorf("the replica with %s ended with %s", working.runtime, state)
	}
	f.settles(next)
	f.t.Logf("%d Sites handed over from %s to %s in %.1fs", len(f.sites), working.runtime, next.runtime, time.Since(stopped).Seconds())
	f.converges()
	writes := next.writes(0)
	f.logWrites("handed over to "+next.runtime, next, 0)
	f.expectWrites(writes, nil, 1)
	expectNoOverlap(f, working, next)
	f.expectSame(before)
	return next
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
	f.logWrites("changed with "+working.runtime, working, first)
	// The first field of a Widget that is dropped takes a write of its field managers.
	f.expectWrites(writes, map[string]int{"configmaps": 1, "widgets": 2, "sites/status": 2}, 0)
	f.expectSame(before)
	f.hasOnlyDesired()
}

// expectWrites checks that none of the writes creates or deletes, and that each object
// has at most as many as its resource may have, or rest.
func (f *fleet) expectWrites(writes []recordedRequest, most map[string]int, rest int) {
	f.t.Helper()
	counts := map[string]int{}
	excess := map[string]recordedRequest{}
	for _, write := range writes {
		if write.verb == http.MethodPost || write.verb == http.MethodDelete {
			excess[write.verb+" "+write.resource] = write
		}
		object := write.resource + " " + write.name
		counts[object]++
		limit, ok := most[write.resource]
		if !ok {
			limit = rest
		}
		if counts[object] > limit {
			excess[fmt.Sprintf("more than %d writes of the same of %s", limit, write.resource)] = write
		}
	}
	for what, write := range excess {
		f.t.Errorf("%s, such as %v", what, write)
	}
}

// expectNoOverlap checks that a replica began to write when the one before it had ended.
func expectNoOverlap(f *fleet, working, next *fleetReplica) {
	f.t.Helper()
	var last time.Time
	for _, write := range working.writes(0) {
		if write.end.After(last) {
			last = write.end
		}
	}
	for _, write := range next.writes(0) {
		if !write.begun.After(last) {
			f.t.Errorf("the replica with %s writes %s before the last write of the one before it", next.runtime, last.Sub(write.begun))
			return
		}
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
func (f *fleet) logWrites(when string, r *fleetReplica, first int) {
	writes, counts := r.writes(first), map[string]int{}
	for _, write := range writes {
		counts[fmt.Sprintf("%s %s %d", write.verb, write.resource, write.code)]++
	}
	var texts []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		texts = append(texts, fmt.Sprintf("%s: %d", what, counts[what]))
	}
	f.t.Logf("%d Sites %s: %d writes: %s (since its start %s)", len(f.sites), when, len(writes), strings.Join(texts, ", "), r.totals())
}
