package spec

import "strings"

// IsVisible reports whether a text can stand in a spec file as it is: it has no control characters
// but tabs and line ends, and none that hide what is written.
func IsVisible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return (r < ' ' || r > '~') && (isControl(r) || isBidi(r) || r == '\ufeff') })
}
