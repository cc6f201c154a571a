package yamltext

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// compareKeys orders the keys of a mapping: letters by their code and behind everything else, numbers by their
// value, so that v10 follows v9.
func compareKeys(a, b string) int {
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	for same > 0 && same < len(a) && !utf8.RuneStart(a[same]) {
		same--
	}
	if same == len(a) || same == len(b) {
		return cmp.Compare(len(a), len(b))
	}
	x, _ := utf8.DecodeRuneInString(a[same:])
	y, _ := utf8.DecodeRuneInString(b[same:])
	switch letterX, letterY := unicode.IsLetter(x), unicode.IsLetter(y); {
	case letterX && letterY:
		return cmp.Compare(x, y)
	case letterX:
		return +1
	case letterY:
		return -1
	}
	var lead int64 // of the number that the rest continues: what follows it counts with its zeros
	if digits := digitsBefore(a[:same]); (x == '0' || y == '0') && strings.Trim(digits, "0") != "" {
		lead = 1
	}
	m, mDigits := leadingNumber(lead, a[same:])
	n, nDigits := leadingNumber(lead, b[same:])
	return cmp.Or(cmp.Compare(m, n), cmp.Compare(mDigits, nDigits), cmp.Compare(x, y))
}

// leadingNumber returns the number that a text starts with, behind leading digits, and how many digits it has.
func leadingNumber(lead int64, text string) (value int64, digits int) {
	value = lead
	for _, r := range text {
		if !unicode.IsDigit(r) {
			break
		}
		value = value*10 + int64(r-'0')
		digits++
	}
	return value, digits
}

// digitsBefore returns the digits that a text ends with.
func digitsBefore(text string) string {
	return text[len(strings.TrimRightFunc(text, unicode.IsDigit)):]
}

// sortedKeys returns the keys of a mapping in their order. Numbers and letters together may leave no order, as v1a
// < v9 < v10 < v1a: such keys still come out the same every time.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	slices.SortStableFunc(keys, compareKeys)
	return keys
}
