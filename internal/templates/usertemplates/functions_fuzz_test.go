//go:build linux || darwin

package usertemplates

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// leaves are the values that random calls begin with: large ones, odd ones and those without end.
var leaves = []string{
	`""`, `"%[1]*[2]d%s%v%999999d"`, `"(a*)*b{1000}"`, `"x"`, `0`, `-1`, `3`, `1000000`, `9223372036854775807`, `-9223372036854775808`, `1.5e300`, `true`,
	`$text`, `$list`, `$dict`, `$endless`, `$doubled`, `(list)`, `(dict)`, `.`, `.APIs`, `.Project`, `(fromJson "null")`, `(semver "1.2.3-a")`,
}

const setup = `{{ $text := repeat 1000000 "a b\n" }}{{ $list := until 200000 }}{{ $dict := dict "a" (dict "b" $list) "scheme" $text }}` +
	`{{ $endless := dict }}{{ $_ := set $endless "a" (list $endless) }}{{ $doubled := list "word" }}{{ range until 40 }}{{ $doubled = list $doubled $doubled }}{{ end }}`

// randomCall returns a call of functions by the bytes of a choice: each byte chooses a function, a number of arguments, a
// leaf, or a call within.
func randomCall(choice *[]byte, depth int) string {
	next := func(n int) int {
		if len(*choice) == 0 {
			return 0
		}
		b := int((*choice)[0])
		*choice = (*choice)[1:]
		return b % n
	}
	names := append(append(allowedNames(), builtins...), ownFunctionNames...)
	parts := []string{names[next(len(names))]}
	for range next(5) {
		if depth < 3 && next(4) == 0 {
			parts = append(parts, "("+randomCall(choice, depth+1)+")")
		} else {
			parts = append(parts, leaves[next(len(leaves))])
		}
	}
	return strings.Join(parts, " ")
}

// renderCall renders a call in a loop, and returns what it has taken.
func renderCall(call string) (took time.Duration, allocated uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := processorTime()
	renderSource(Folder{Name: "templates", Files: map[string][]byte{"a.tmpl": []byte(setup + "{{ range until 3 }}{{ " + call + " }}{{ end }}")}})
	runtime.ReadMemStats(&after)
	return processorTime() - begin, after.TotalAlloc - before.TotalAlloc
}

const (
	mostTime      = 15 * time.Second // of a processor
	mostAllocated = 4 << 30          // bytes, most of them for a moment
)

// FuzzFunctions calls functions with values that nobody would give them: it ends soon, and takes no more memory than there is.
func FuzzFunctions(f *testing.F) {
	for i := range 60 {
		f.Add([]byte{byte(i * 4), byte(i), byte(i * 7), byte(i * 11), byte(i * 13), byte(i * 17), byte(i * 19), byte(i * 23)})
	}
	f.Fuzz(func(t *testing.T, choice []byte) {
		call := randomCall(&choice, 0)
		if took, allocated := renderCall(call); took > mostTime || allocated > mostAllocated {
			t.Errorf("%s: took %s and %d MiB", call, took, allocated>>20)
		}
	})
}
