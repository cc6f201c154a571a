package truth

import (
	"fmt"
	"strings"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// reported is how many fields of one child are listed.
const reported = 20

// writeUntruths writes one paragraph for a child.
func writeUntruths(text *strings.Builder, child testcontrol.Child, found []untruth) {
	secret := child.Kind.Kind == "Secret" && child.Kind.Group == ""
	fmt.Fprintf(text, "%s is not as desired:\n", nameOfChild(child))
	for i, one := range found {
		if i == reported {
			fmt.Fprintf(text, "  and %d more fields\n", len(found)-reported)
			return
		}
		fmt.Fprintf(text, "  %s:\n", one.path)
		desired := "nothing"
		switch {
		case one.removed:
			desired = "nothing any more, but it was earlier"
		case one.fresh && one.desired == diff.Absent:
			desired = "nothing, and a new child has nothing"
		case one.fresh:
			desired = "nothing, and a new child has " + diff.Show(diff.HideValue(one.path, one.desired, secret))
		case one.desired != diff.Absent:
			desired = diff.Show(diff.HideValue(one.path, one.desired, secret))
		}
		live := "nothing"
		if one.live != diff.Absent {
			live = diff.Show(diff.HideValue(one.path, one.live, secret))
		}
		fmt.Fprintf(text, "    desired: %s\n    live:    %s\n", desired, live)
	}
}
