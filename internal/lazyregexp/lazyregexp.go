// Package lazyregexp compiles regular expressions at their first use, so that a command does not
// compile the ones that it does not need.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles pattern at its first call, and returns the same regular
// expression at every call. It panics if pattern does not compile.
func New(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
