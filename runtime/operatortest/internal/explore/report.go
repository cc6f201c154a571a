package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// reportTrials reports each trial of a round as a subtest.
func (x *exploration) reportTrials(parents []*exploredParent) {
	for _, p := range parents {
		for _, child := range slices.Sorted(maps.Keys(p.children)) {
			one := p.children[child].trial
			if one.skipped == "" {
				x.t.Run(one.name(), func(t *testing.T) { x.reportTrial(t, one) })
			}
		}
	}
}

func (x *exploration) reportTrial(t *testing.T, one *trial) {
	if len(one.problems) > 0 {
		t.Errorf("%s\nthe parent says: %s\nagain: %s%s", strings.Join(one.problems, "\n"), cmp.Or(one.ready, "nothing"), x.replaySetting(), replayedCase(x.t, one.name()))
	}
}

// replaySetting returns the environment variables that make an exploration choose the same cases.
func (x *exploration) replaySetting() string {
	text := map[string]string{everyPath: "OPGEN_EXPLORE=all ", exhaustive: "EXHAUSTIVE=1 "}[x.extent]
	if x.seed != defaultSeed {
		text += "OPGEN_EXPLORE_SEED=" + x.seed + " "
	}
	return text
}

// row counts trials.
type row struct{ cases, skipped, silent, stuck int }

// tableOf returns a table with the number of trials by kind, writer, family and time.
func tableOf(trials []*trial) string {
	rows, total := map[[4]string]row{}, row{}
	for _, one := range trials {
		kind, _, _ := strings.Cut(one.childName, " ")
		key := [4]string{kind, one.who, one.family, one.time}
		counted := rows[key]
		for _, r := range []*row{&counted, &total} {
			r.cases++
			switch {
			case one.skipped != "":
				r.skipped++
			case len(one.problems) > 0 && one.isSilent():
				r.silent++
			case len(one.problems) > 0:
				r.stuck++
			}
		}
		rows[key] = counted
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "kind\twho\tmutation\ttime\tcases\tskipped\tsilent\tstuck")
	byName := func(a, b [4]string) int { return slices.Compare(a[:], b[:]) }
	for _, key := range slices.SortedFunc(maps.Keys(rows), byName) {
		r := rows[key]
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\n", strings.Join(key[:], "\t"), r.cases, r.skipped, r.silent, r.stuck)
	}
	fmt.Fprintf(table, "all\t\t\t\t%d\t%d\t%d\t%d\n", total.cases, total.skipped, total.silent, total.stuck)
	_ = table.Flush() // to memory
	return text.String() + reasonsOf(trials)
}

// reasonsOf returns why trials were skipped.
func reasonsOf(trials []*trial) string {
	counts := map[string]int{}
	for _, one := range trials {
		if one.skipped != "" {
			counts[one.skipped]++
		}
	}
	var text strings.Builder
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&text, "skipped, %s: %d\n", reason, counts[reason])
	}
	return text.String()
}
