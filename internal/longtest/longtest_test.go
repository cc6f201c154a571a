package longtest

import (
	"flag"
	"slices"
	"testing"
)

func TestSkip(t *testing.T) {
	for _, short := range []bool{false, true} {
		setShort(t, short)
		ran := false
		t.Run("long", func(t *testing.T) {
			Skip(t, "it says so")
			ran = true
		})
		if ran == short {
			t.Errorf("with -short=%v it ran: %v", short, ran)
		}
	}
}

func TestCases(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5, 6}
	for _, test := range []struct {
		short    bool
		n        int
		expected []int
	}{
		{false, 3, all},
		{true, 3, []int{0, 2, 4}},
		{true, 1, []int{0}},
		{true, 7, all},
		{true, 9, all},
	} {
		setShort(t, test.short)
		if got := Cases(t, all, test.n, "there are many"); !slices.Equal(got, test.expected) {
			t.Errorf("with -short=%v, %d of 7 cases are %v, expected %v", test.short, test.n, got, test.expected)
		}
	}
}

// setShort sets -short for the rest of a test.
func setShort(t *testing.T, short bool) {
	t.Helper()
	set := func(value string) {
		if err := flag.Set("test.short", value); err != nil {
			t.Fatal(err)
		}
	}
	before := flag.Lookup("test.short").Value.String()
	t.Cleanup(func() { set(before) })
	if short {
		set("true")
	} else {
		set("false")
	}
}
