package instance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// DescribeRequests returns the requests after the first n, and what changed in the objects that
// they wrote.
func (o *Operator) DescribeRequests(n int) string {
	var text strings.Builder
	counts, order := map[string]int{}, []string(nil)
	for _, e := range o.Sent.Since(n) {
		line := e.String()
		if counts[line]++; counts[line] == 1 {
			order = append(order, line)
		}
	}
	for _, line := range order {
		fmt.Fprintf(&text, "  %s", line)
		if counts[line] > 1 {
			fmt.Fprintf(&text, " (%d times)", counts[line])
		}
		text.WriteString("\n")
	}
	changed := o.describeChanges(n)
	for _, key := range slices.Sorted(maps.Keys(changed)) {
		fmt.Fprintf(&text, "what the writes changed in %s:\n%s", key, diff.Indent(changed[key]))
	}
	if text.Len() == 0 {
		return "  reconciles go on, but make no requests\n"
	}
	return text.String()
}

// describeChanges compares each object that was written after the first n requests with its state
// after the write before, for the last write that changed something.
func (o *Operator) describeChanges(n int) map[string]string {
	last, changed := map[string]map[string]any{}, map[string]string{}
	for i, e := range o.Sent.Since(0) {
		if e.Object == nil || e.Code >= 300 {
			continue
		}
		key := e.Key()
		if before, ok := last[key]; ok && i >= n {
			if text := diff.Describe(diff.HideSecrets(diff.JSON(before, e.Object), e.Resource == "secrets")); text != "" {
				changed[key] = text
			} else if changed[key] == "" {
				changed[key] = "nothing\n"
			}
		}
		last[key] = e.Object
	}
	return changed
}
