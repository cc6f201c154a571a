package managedfields

import (
	"fmt"
	"testing"
)

func TestFieldManagerFitsTheAPIServer(t *testing.T) {
	if got := FieldManager("web", "example.com"); got != manager {
		t.Errorf("got %s, want %s", got, manager)
	}
	long := fmt.Sprintf("%0200d", 0)
	a, b := FieldManager("a", long), FieldManager("b", long)
	if len(a) > 128 || a == b {
		t.Errorf("long names give %s and %s", a, b)
	}
}

func TestFieldManagerIsReadBack(t *testing.T) {
	for text, want := range map[string]string{
		FieldManager("web", "demo.example.com"):                           "web demo.example.com true",
		"opgen/web.demo.example.com:3fcbb1b0-0000-4000-8000-000000000000": "  false", // of patches
		"opgen/web": "  false", "opgen/.example.com": "  false", "web-manager": "  false",
		FieldManager("web", fmt.Sprintf("%0200d", 0)): "  false", // which is shortened
	} {
		name, group, ok := ParseFieldManager(text)
		if got := fmt.Sprint(name, " ", group, " ", ok); got != want {
			t.Errorf("%s is read as %q, want %q", text, got, want)
		}
	}
}
