package a

import (
	"testing"

	"github.com/opgen-dev/opgen/internal/longtest"
)

func TestShort(t *testing.T) {}

func TestClosure(t *testing.T) {
	t.Run("one", func(t *testing.T) {
		longtest.Skip(t, "it says why")
	})
}

func TestCases(t *testing.T) {
	for range longtest.Cases(t, cases, 3, "it has many cases") {
	}
}

func TestHelper(t *testing.T) { begin(t, "does much") }

func begin(t *testing.T, what string) { skip(t, what) }

func skip(t *testing.T, what string) {
	longtest.Skip(t, "it "+what)
	begin(t, what)
}

func TestValue(t *testing.T) { t.Run("long", long) }

func long(t *testing.T) { longtest.Skip(t, "it is called as a value") }
