package operatortest

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/opgen-dev/opgen/runtime/internal/passes"
)

// reported is how many fields of one child are listed.
const reported = 20

// describeUntruths writes one paragraph for a child.
func describeUntruths(text *strings.Builder, child passes.Child, found []untruth) {
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
		case one.desired != absent:
			desired = shown(child.Kind.Kind, one.path, one.desired)
		}
		live := "nothing"
		if one.live != absent {
			live = shown(child.Kind.Kind, one.path, one.live)
		}
		fmt.Fprintf(text, "    desired: %s\n    live:    %s\n", desired, live)
	}
}

const hidden = "(not shown)"

// shown is a value as a report has it, without secrets.
func shown(kind, path string, value any) string {
	if isSecret(kind, path) {
		return hidden
	}
	return show(withoutSecrets(path, value))
}

// envValue is the path of a value in a list of environment variables.
var envValue = regexp.MustCompile(`(^|\.)env\[[^\]]*\]\.value$`)

// isSecret reports whether the value at a path is not for everybody to read: all of a
// Secret but its labels and owners, and the values of environment variables.
func isSecret(kind, path string) bool {
	if kind == "Secret" {
		return strings.HasPrefix(path, "data") || strings.HasPrefix(path, "stringData") || strings.HasPrefix(path, "metadata.annotations")
	}
	return envValue.MatchString(path) || strings.Contains(path, "last-applied-configuration")
}

// withoutSecrets is a copy of a value without those of environment variables.
func withoutSecrets(path string, value any) any {
	switch value := value.(type) {
	case map[string]any:
		fields := make(map[string]any, len(value))
		for name, field := range value {
			if fields[name] = withoutSecrets(join(path, name), field); isSecret("", join(path, name)) {
				fields[name] = hidden
			}
		}
		return fields
	case []any:
		items := make([]any, len(value))
		for i, item := range value {
			items[i] = withoutSecrets(fmt.Sprintf("%s[%d]", path, i), item)
		}
		return items
	}
	return value
}
