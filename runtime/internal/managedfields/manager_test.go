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
