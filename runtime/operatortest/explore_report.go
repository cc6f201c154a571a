package operatortest

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
func reportTrials(x *exploration, parents []*exploredParent) {
	for _, h := range parents {
		for _, child := range slices.Sorted(maps.Keys(h.children)) {
			one := h.children[child].trial
			if one.skipped == "" {
				x.t.Run(one.name(), func(t *testing.T) { reportTrial(x, t, one) })
			}
		}
	}
}

func reportTrial(x *exploration, t *testing.T, one *trial) {
	if text, failed := trialResult(one, x.known[one.name()]); failed {
		t.Errorf("%s\nagain: %s%s", text, replaySetting(x), replayedCase(x.t, one.name()))
	} else if text != "" {
		t.Log(text)
	}
}

// replaySetting returns the environment variables that make an exploration choose the same cases.
func replaySetting(x *exploration) string {
	text := map[string]string{everyPath: "OPGEN_EXPLORE=all ", exhaustive: "EXHAUSTIVE=1 "}[x.extent]
	if x.seed != defaultSeed {
		text += "OPGEN_EXPLORE_SEED=" + x.seed + " "
	}
	return text
}

// trialResult returns the problems of a trial, and whether it has failed. A trial that is known to
// fail must fail.
func trialResult(one *trial, known expectation) (text string, failed bool) {
	text = strings.Join(one.problems, "\n")
	switch {
	case text != "" && known != mustPass:
		return "known to fail: " + text, false
	case text != "":
		return text + "\nthe parent says: " + cmp.Or(one.ready, "nothing"), true
	case known == mustFail:
		return "it is listed as a known failure, and passes: take it off the list", true
	}
	return "", false
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
