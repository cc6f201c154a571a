package rolling

import (
	"slices"
	"testing"
)

// FindTurns, with each member as a letter: r is ready and up to date, b is broken and up to date, R and B
// are the same and outdated, K is ready, outdated and keeps its version, and L is so and broken. Z and Y are R
// and B, and last.
func TestTurnsOfARollingUpdate(t *testing.T) {
	letters := map[rune]Member{
		'r': {IsHealthy: true}, 'b': {}, 'R': {IsHealthy: true, IsOutdated: true}, 'B': {IsOutdated: true},
		'K': {IsHealthy: true, IsOutdated: true, KeepsVersion: true}, 'L': {IsOutdated: true, KeepsVersion: true},
		'Z': {IsHealthy: true, IsOutdated: true, IsLast: true}, 'Y': {IsOutdated: true, IsLast: true},
	}
	for _, test := range []struct {
		members string
		limit   int
		turns   []int
	}{
		{"rrr", 1, nil},
		{"ZRR", 1, []int{1}},
		{"ZRR", 3, []int{1, 2, 0}},
		{"Zrr", 1, []int{0}},
		{"YRB", 1, []int{2}},
		{"YRB", 2, []int{2, 0}},
		{"YRr", 1, []int{0}}, // what is down goes first
		{"RRR", 1, []int{0}},
		{"RRR", 2, []int{0, 1}},
		{"RRR", 9, []int{0, 1, 2}},
		{"rRR", 1, []int{1}},
		{"bRR", 1, nil}, // the change may be bad
		{"bRR", 2, []int{1}},
		{"bbRR", 2, nil},
		{"bBB", 1, nil},
		{"bBB", 2, []int{1}},
		{"RBB", 1, []int{1}}, // what is down goes first
		{"RBB", 2, []int{1, 2}},
		{"RBR", 2, []int{1, 0}},
		{"BBBRR", 2, []int{0, 1}},
		{"BBBRR", 4, []int{0, 1, 2, 3}},
		{"KRR", 1, []int{1}}, // one that keeps its version stops no other
		{"KKK", 3, nil},
		{"LRR", 1, nil}, // but for being down
		{"LRR", 2, []int{1}},
		{"LBR", 1, []int{1}},
		{"KbR", 1, nil},
	} {
		var members []Member
		for _, letter := range test.members {
			members = append(members, letters[letter])
		}
		if got := FindTurns(members, test.limit); !slices.Equal(got, test.turns) {
			t.Errorf("of %s at most %d: the turns are %v, want %v", test.members, test.limit, got, test.turns)
		}
	}
}
