package lazyregexp_test

import (
	"testing"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

func TestNewCompilesOnce(t *testing.T) {
	number := lazyregexp.New(`^[0-9]+$`)
	if !number().MatchString("42") || number().MatchString("x") {
		t.Error("the pattern matches something else")
	}
	if first, second := number(), number(); first != second {
		t.Error("the pattern is compiled at each call")
	}
}

func TestNewCompilesAtTheFirstCall(t *testing.T) {
	broken := lazyregexp.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("a pattern that does not compile causes no panic")
		}
	}()
	broken()
}
