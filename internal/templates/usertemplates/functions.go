package usertemplates

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// allowed are the functions of sprig that templates can call: their result follows from their arguments alone, on every
// machine, at every time.
var allowed = strings.Fields(`
	abbrev abbrevboth camelcase cat contains hasPrefix hasSuffix indent initials kebabcase lower nindent nospace plural
	quote repeat replace snakecase squote substr swapcase title trim trimAll trimPrefix trimSuffix trimall trunc untitle
	upper wrap wrapWith
	regexFind regexFindAll regexMatch regexQuoteMeta regexReplaceAll regexReplaceAllLiteral regexSplit
	mustRegexFind mustRegexFindAll mustRegexMatch mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit
	join sortAlpha split splitList splitn toString toStrings
	add add1 add1f addf biggest ceil div divf floor max maxf min minf mod mul mulf round sub subf
	atoi float64 int int64 seq toDecimal until untilStep
	append chunk compact concat first has initial last list prepend push rest reverse slice tuple uniq without
	mustAppend mustChunk mustCompact mustFirst mustHas mustInitial mustLast mustPrepend mustPush mustRest mustReverse
	mustSlice mustUniq mustWithout
	dict dig get hasKey keys merge mergeOverwrite omit pick pluck set unset values mustMerge mustMergeOverwrite
	deepCopy deepEqual mustDeepCopy
	all any coalesce default empty fail ternary
	fromJson toJson toPrettyJson toRawJson mustFromJson mustToJson mustToPrettyJson mustToRawJson
	b32dec b32enc b64dec b64enc adler32sum sha1sum sha256sum sha512sum
	base clean dir ext isAbs urlJoin urlParse
	kindIs kindOf typeIs typeIsLike typeOf
	semver semverCompare duration
`)

// refused are the functions of sprig that templates cannot call, by the reason.
var refused = map[string][]string{
	"reads the environment": {"env", "expandenv"},
	"reads the clock or the time zone": {
		"ago", "date", "dateInZone", "dateModify", "date_in_zone", "date_modify", "durationRound", "htmlDate", "htmlDateInZone",
		"mustDateModify", "mustToDate", "must_date_modify", "now", "toDate", "unixEpoch",
	},
	"asks the network": {"getHostByName"},
	"takes paths of the operating system: use the function without os in its name": {"osBase", "osClean", "osDir", "osExt", "osIsAbs"},
	"is random": {
		"randAlpha", "randAlphaNum", "randAscii", "randBytes", "randInt", "randNumeric", "shuffle", "uuidv4",
	},
	"makes or uses secrets, with a random salt or key": {
		"bcrypt", "buildCustomCert", "decryptAES", "derivePassword", "encryptAES", "genCA", "genCAWithKey", "genPrivateKey",
		"genSelfSignedCert", "genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey", "htpasswd",
	},
	"is a test of sprig itself": {"hello"},
}

// functions returns the functions that templates can call: those of sprig that are allowed, with the keys and values of
// maps in the order of the keys, and those that are not, which fail with the reason.
func functions() template.FuncMap {
	ofSprig := sprig.TxtFuncMap()
	result := template.FuncMap{}
	for _, name := range allowed {
		result[name] = ofSprig[name]
	}
	result["keys"], result["values"] = sortedKeys, sortedValues
	limitResults(result)
	for reason, names := range refused {
		for _, name := range names {
			result[name] = func(...any) (string, error) {
				return "", fmt.Errorf("%s %s: equal inputs give equal files, so templates cannot call it", name, reason)
			}
		}
	}
	return result
}

// sortedKeys returns the keys of maps in byte order; sprig returns them in the random order of Go's maps.
func sortedKeys(dicts ...map[string]any) []string {
	var keys []string
	for _, dict := range dicts {
		keys = append(keys, slices.Sorted(maps.Keys(dict))...)
	}
	return keys
}

// sortedValues returns the values of a map in the byte order of their keys.
func sortedValues(dict map[string]any) []any {
	values := make([]any, 0, len(dict))
	for _, key := range slices.Sorted(maps.Keys(dict)) {
		values = append(values, dict[key])
	}
	return values
}

const (
	maxRepeated = 16 << 20 // bytes of a repeated text
	maxCounted  = 1 << 20  // numbers of a range
)

var errTooMany = errors.New("makes more than a file can hold")

// limitResults replaces the functions whose result can be larger than all memory by ones that fail then.
func limitResults(functions template.FuncMap) {
	repeat, until := functions["repeat"].(func(int, string) string), functions["until"].(func(int) []int)
	untilStep, seq := functions["untilStep"].(func(int, int, int) []int), functions["seq"].(func(...int) string)
	functions["repeat"] = func(count int, text string) (string, error) {
		if count < 0 || len(text) > 0 && count > maxRepeated/len(text) {
			return "", errTooMany
		}
		return repeat(count, text), nil
	}
	functions["until"] = func(count int) ([]int, error) {
		if !countable(0, count, 1) {
			return nil, errTooMany
		}
		return until(count), nil
	}
	functions["untilStep"] = func(start, stop, step int) ([]int, error) {
		if !countable(start, stop, step) {
			return nil, errTooMany
		}
		return untilStep(start, stop, step), nil
	}
	functions["seq"] = func(bounds ...int) (string, error) {
		first, step, last := 0, 1, 0
		switch len(bounds) {
		case 1:
			last = bounds[0]
		case 2:
			first, last = bounds[0], bounds[1]
		case 3:
			first, step, last = bounds[0], bounds[1], bounds[2]
		}
		if !countable(first, last, step) {
			return "", errTooMany
		}
		return seq(bounds...), nil
	}
}

// countable reports whether few enough numbers lie between two, at distances of step.
func countable(start, stop, step int) bool {
	return step == 0 || math.Abs((float64(stop)-float64(start))/float64(step)) <= maxCounted
}
