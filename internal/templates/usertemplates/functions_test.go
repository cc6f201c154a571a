package usertemplates

import (
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// calls has a call of each function that templates can use.
const calls = `
abbrev 5 "hello world"|abbrevboth 5 10 "1234 5678 9123"|camelcase "http_server"|cat "a" "b"|contains "a" "cat"|hasPrefix "c" "cat"
hasSuffix "t" "cat"|indent 2 "a\nb"|initials "First Try"|kebabcase "FirstName"|lower "ABC"|nindent 2 "a"|nospace "a b"
plural "one" "many" 2|quote "a"|repeat 3 "ab"|replace "a" "b" "cat"|snakecase "FirstName"|squote "a"|substr 1 2 "cat"
swapcase "aB"|title "hello"|trim " a "|trimAll "$" "$5"|trimPrefix "-" "-a"|trimSuffix "-" "a-"|trimall "$" "$5"|trunc 2 "cat"
untitle "Hello"|upper "a"|wrap 3 "a cat"|wrapWith 3 "-" "a cat"
regexFind "[a-z]" "1a"|regexFindAll "[a-z]" "ab" -1|regexMatch "a" "cat"|regexQuoteMeta "1.2"|regexReplaceAll "a" "cat" "b"
regexReplaceAllLiteral "a" "cat" "b"|regexSplit "a" "cat" -1|mustRegexFind "[a-z]" "1a"|mustRegexFindAll "[a-z]" "ab" -1
mustRegexMatch "a" "cat"|mustRegexReplaceAll "a" "cat" "b"|mustRegexReplaceAllLiteral "a" "cat" "b"|mustRegexSplit "a" "cat" -1
join "-" (list 1 2)|sortAlpha (list "b" "a")|split "-" "a-b"|splitList "-" "a-b"|splitn "-" 2 "a-b-c"|toString 1|toStrings (list 1 2)
add 1 2|add1 1|add1f 1.5|addf 1.5 2|biggest 1 2|ceil 1.5|div 4 2|divf 5 2|floor 1.5|max 1 2|maxf 1.5 2|min 1 2|minf 1.5 2|mod 5 2
mul 2 3|mulf 1.5 2|round 1.256 2|sub 3 2|subf 3.5 2|atoi "3"|float64 "1.5"|int "3"|int64 "3"|seq 1 2 5|toDecimal "0777"|until 3
untilStep 0 6 2
append (list 1) 2|chunk 2 (list 1 2 3)|compact (list "a" "")|concat (list 1) (list 2)|first (list 1 2)|has 1 (list 1)|initial (list 1 2)
last (list 1 2)|list 1 2|prepend (list 1) 2|push (list 1) 2|rest (list 1 2)|reverse (list 1 2)|slice (list 1 2 3) 1 2|tuple 1 2
uniq (list 1 1)|without (list 1 2) 1|mustAppend (list 1) 2|mustChunk 2 (list 1 2 3)|mustCompact (list "a" "")|mustFirst (list 1)
mustHas 1 (list 1)|mustInitial (list 1 2)|mustLast (list 1)|mustPrepend (list 1) 2|mustPush (list 1) 2|mustRest (list 1 2)
mustReverse (list 1 2)|mustSlice (list 1 2) 1|mustUniq (list 1 1)|mustWithout (list 1 2) 1
dict "b" 1 "a" 2|dig "a" "none" (dict "a" 1)|get (dict "a" 1) "a"|hasKey (dict "a" 1) "a"|keys (dict "c" 3 "a" 1 "b" 2)
merge (dict "a" 1) (dict "b" 2)|mergeOverwrite (dict "a" 1) (dict "a" 2)|omit (dict "a" 1 "b" 2) "a"|pick (dict "a" 1 "b" 2) "a"
pluck "a" (dict "a" 1) (dict "a" 2)|set (dict "a" 1) "b" 2|unset (dict "a" 1 "b" 2) "a"|values (dict "c" 3 "a" 1 "b" 2)
mustMerge (dict "a" 1) (dict "b" 2)|mustMergeOverwrite (dict "a" 1) (dict "a" 2)|deepCopy (dict "a" 1)|deepEqual 1 1
mustDeepCopy (dict "a" 1)|all 1 0|any 0 1|coalesce 0 1|default 1 0|empty 0|ternary 1 2 true
fromJson "{\"b\":1,\"a\":2}"|toJson (dict "b" 1 "a" 2)|toPrettyJson (dict "b" 1 "a" 2)|toRawJson (dict "b" "<" "a" 2)
mustFromJson "[1]"|mustToJson (dict "b" 1 "a" 2)|mustToPrettyJson (dict "b" 1 "a" 2)|mustToRawJson (dict "b" 1 "a" 2)
b32dec "ME======"|b32enc "a"|b64dec "YQ=="|b64enc "a"|adler32sum "a"|sha1sum "a"|sha256sum "a"|sha512sum "a"
base "a/b"|clean "a/../b"|dir "a/b"|ext "a.go"|isAbs "/a"|urlJoin (dict "scheme" "http" "host" "h")|urlParse "http://h/p"
kindIs "int" 1|kindOf 1|typeIs "int" 1|typeIsLike "int" 1|typeOf 1|semver "1.2.3"|semverCompare ">1" "1.2.3"|duration 95
`

// renderCalls runs every call, a line each, with the name of its function.
func renderCalls(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	for _, call := range strings.Split(strings.ReplaceAll(strings.TrimSpace(calls), "\n", "|"), "|") {
		text := strings.Fields(call)[0] + "\t{{ " + call + " }}\n"
		parsed, err := template.New("").Funcs(functions(new(run))).Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := parsed.Execute(&out, nil); err != nil {
			t.Error(err)
		}
	}
	return out.String()
}

func TestEveryFunctionGivesTheSameTwice(t *testing.T) {
	first := renderCalls(t)
	if os.Getenv("OPGEN_PRINT_CALLS") != "" {
		t.Log("\n" + first)
		return
	}
	for range 20 {
		if again := renderCalls(t); again != first {
			t.Fatalf("the results differ:\n%s\n%s", first, again)
		}
	}
	// Another process, in another time zone, as another user with another folder.
	cmd := exec.Command(os.Args[0], "-test.run=^TestEveryFunctionGivesTheSameTwice$", "-test.v")
	cmd.Env = []string{"OPGEN_PRINT_CALLS=1", "TZ=Pacific/Chatham", "USER=somebody", "HOME=" + t.TempDir(), "LANG=tr_TR.UTF-8"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if indented := strings.ReplaceAll(strings.TrimSpace(first), "\n", "\n        "); !strings.Contains(string(out), indented) {
		t.Errorf("the results differ in another process:\n%s\n%s", first, out)
	}
	var called []string
	for line := range strings.Lines(first) {
		if name, _, isCall := strings.Cut(line, "\t"); isCall {
			called = append(called, name)
		}
	}
	for _, name := range allowedNames() {
		if name != "fail" && !slices.Contains(called, name) {
			t.Errorf("no call of %s is tried", name)
		}
	}
}

// A new release of sprig adds nothing unseen: whoever updates it decides on each new function.
func TestEveryFunctionOfSprigIsAllowedOrRefused(t *testing.T) {
	decided := allowedNames()
	for _, group := range refused {
		decided = append(decided, group.names...)
	}
	slices.Sort(decided)
	if ofSprig := slices.Sorted(maps.Keys(sprig.TxtFuncMap())); !slices.Equal(decided, ofSprig) {
		t.Errorf("decided on\n%s\nsprig has\n%s", decided, ofSprig)
	}
}

func TestMapsAreInTheOrderOfTheirKeys(t *testing.T) {
	for call, expected := range map[string]string{
		`keys (dict "p2" 1 "p10" 2 "p1x" 3)`:   "[p10 p1x p2]",
		`values (dict "p2" 1 "p10" 2 "p1x" 3)`: "[2 3 1]",
	} {
		var out strings.Builder
		if err := template.Must(template.New("").Funcs(functions(new(run))).Parse("{{ "+call+" }}")).Execute(&out, nil); err != nil || out.String() != expected {
			t.Errorf("%s = %q, %v, want %q", call, out.String(), err, expected)
		}
	}
}

func TestFunctionsWithTooLargeResultsFail(t *testing.T) {
	for _, call := range []string{
		`until 10000000000`, `seq 1 1 99999999999`, `untilStep 0 99999999999 1`, `repeat 1000000000 "ab"`, `repeat -1 "ab"`,
	} {
		err := template.Must(template.New("").Funcs(functions(new(run))).Parse("{{ "+call+" }}")).Execute(new(strings.Builder), nil)
		if err == nil || !strings.Contains(err.Error(), "output is too large") {
			t.Errorf("%s: %v", call, err)
		}
	}
}
