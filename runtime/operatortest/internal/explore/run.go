package explore

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// isTestSelected reports whether the flags of go test select a subtest.
func isTestSelected(t *testing.T, name string) bool {
	return matchesPattern(flagValue("test.run"), t.Name()+"/"+name) && !isSkipped(flagValue("test.skip"), t.Name()+"/"+name)
}

func flagValue(name string) string {
	if set := flag.Lookup(name); set != nil {
		return set.Value.String()
	}
	return ""
}

// matchesPattern reports whether an alternative of a pattern of go test selects a test.
func matchesPattern(pattern, name string) bool {
	return pattern == "" || slices.ContainsFunc(splitPattern(pattern, '|'), func(one string) bool { return matchesEach(one, name) })
}

// matchesEach reports whether the elements of a pattern match the elements of a name, up to the
// shorter of both.
func matchesEach(pattern, name string) bool {
	names := strings.Split(name, "/")
	for i, element := range splitPattern(pattern, '/') {
		if i >= len(names) {
			break
		}
		if matched, err := regexp.MatchString(strings.ReplaceAll(element, " ", "_"), names[i]); err != nil || !matched {
			return false
		}
	}
	return true
}

// selectsSubtests reports whether a pattern of go test selects some of a test's subtests only.
func selectsSubtests(pattern, name string) bool {
	return slices.ContainsFunc(splitPattern(pattern, '|'), func(one string) bool {
		return len(splitPattern(one, '/')) > strings.Count(name, "/")+1 && matchesEach(one, name)
	})
}

func isSkipped(pattern, name string) bool {
	return pattern != "" && len(splitPattern(pattern, '/')) <= strings.Count(name, "/")+1 && matchesPattern(pattern, name)
}

// splitPattern splits a pattern at a separator outside of brackets.
func splitPattern(pattern string, separator byte) (elements []string) {
	depth, from := 0, 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case separator:
			if depth == 0 {
				elements = append(elements, pattern[from:i])
				from = i + 1
			}
		}
	}
	return append(elements, pattern[from:])
}

// replayedCase returns the command that runs one subtest again.
func replayedCase(t *testing.T, name string) string {
	var elements []string
	for _, element := range strings.Split(t.Name()+"/"+name, "/") {
		elements = append(elements, "^"+regexp.QuoteMeta(element)+"$")
	}
	return "go test -run '" + strings.Join(elements, "/") + "'"
}

// explorationExtent returns the extent of an exploration by the environment.
func explorationExtent() string {
	switch {
	case os.Getenv("EXHAUSTIVE") == "1":
		return exhaustive
	case os.Getenv("OPGEN_EXPLORE") == "all":
		return everyPath
	}
	return short
}
