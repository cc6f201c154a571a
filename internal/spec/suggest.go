package spec

import (
	"strings"

	"github.com/opgen-dev/opgen/internal/nearest"
)

// suggestName proposes the known name that was probably meant; with few names it lists them all.
func suggestName(name string, known []string) string {
	if best := nearest.Name(name, known); best != "" {
		return `did you mean "` + best + `"?`
	}
	if len(known) > 24 {
		return ""
	}
	return "known: " + strings.Join(known, ", ")
}
