package spec

import "strings"

// GoMarker is a line of the comment of a Go type that generators read.
type GoMarker struct {
	Pos  Pos
	Text string // from the plus sign on
}

// IsClientMarker reports whether a line of a comment is a marker that the generators of typed
// clients read.
func IsClientMarker(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "+genclient") || strings.HasPrefix(line, "+resourceName=")
}
