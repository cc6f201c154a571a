// Package longtest names the tests that take long, and says why. make test runs with -short, which leaves them out; make
// test-all runs them, too. In a script of testdata/script the line is
//
//	[short] skip 'long: it builds three projects'
//
// go run ./tools/longtests lists all of them.
package longtest

import "testing"

// Skip skips a test in short mode. The reason completes the sentence "it is long, because …".
func Skip(t testing.TB, reason string) {
	t.Helper()
	if testing.Short() {
		t.Skip("long: " + reason)
	}
}

// Cases returns the cases of a table that a test tries: all of them, or n in short mode, evenly spread and the first among
// them. The reason says why all of them take long.
func Cases[T any](t testing.TB, all []T, n int, reason string) []T {
	t.Helper()
	if !testing.Short() || n >= len(all) {
		return all
	}
	t.Logf("%d of %d cases, since all are long: %s", n, len(all), reason)
	some := make([]T, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}
