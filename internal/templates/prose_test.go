package templates

import (
	"strings"
	"testing"
)

// Comments of words of any length are wrapped.
func TestProseIsWrapped(t *testing.T) {
	kind := "CustomResourceDefinition"
	got := wrapComment("Sync says which children a %s should have. It sees state, never events, and runs again whenever something of that state changes, so it has nothing to wait for and nothing to remember.", kind)
	want := `// Sync says which children a CustomResourceDefinition should have. It sees state, never events, and runs again whenever
// something of that state changes, so it has nothing to wait for and nothing to remember.`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	long := strings.Repeat("x", 2*proseWidth)
	if got, want := wrapComment("%s a", long), "// "+long+"\n// a"; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
