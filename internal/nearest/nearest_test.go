package nearest_test

import (
	"testing"

	"github.com/opgen-dev/opgen/internal/nearest"
)

func TestName(t *testing.T) {
	known := []string{"minimum", "maximum", "minLength", "type", "int32", "any"}
	for name, want := range map[string]string{
		"minimun": "minimum",
		"Type":    "type",
		"tpye":    "type",
		"int":     "int32",
		"x":       "",
		"":        "",
		"colour":  "",
	} {
		if got := nearest.Name(name, known); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
