package usertemplates

import (
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// functionGroup is a group of sprig's functions about one subject.
type functionGroup struct {
	about string
	names []string
}

// allowed are the functions of sprig that templates can call. Their results depend only on their
// arguments, and not on the time, the machine or chance.
var allowed = []functionGroup{
	{"text", strings.Fields(`abbrev abbrevboth camelcase cat contains hasPrefix hasSuffix indent initials kebabcase lower
		nindent nospace plural quote repeat replace snakecase squote substr swapcase title trim trimAll trimPrefix trimSuffix
		trimall trunc untitle upper wrap wrapWith`)},
	{"regular expressions", strings.Fields(`regexFind regexFindAll regexMatch regexQuoteMeta regexReplaceAll
		regexReplaceAllLiteral regexSplit mustRegexFind mustRegexFindAll mustRegexMatch mustRegexReplaceAll
		mustRegexReplaceAllLiteral mustRegexSplit`)},
	{"lists of texts", strings.Fields(`join sortAlpha split splitList splitn toString toStrings`)},
	{"numbers", strings.Fields(`add add1 add1f addf biggest ceil div divf floor max maxf min minf mod mul mulf round sub subf
		atoi float64 int int64 seq toDecimal until untilStep`)},
	{"lists", strings.Fields(`append chunk compact concat first has initial last list prepend push rest reverse slice tuple
		uniq without mustAppend mustChunk mustCompact mustFirst mustHas mustInitial mustLast mustPrepend mustPush mustRest
		mustReverse mustSlice mustUniq mustWithout`)},
	{"dicts", strings.Fields(`dict dig get hasKey keys merge mergeOverwrite omit pick pluck set unset values mustMerge
		mustMergeOverwrite deepCopy deepEqual mustDeepCopy`)},
	{"choice", strings.Fields(`all any coalesce default empty fail ternary`)},
	{"encodings and checksums", strings.Fields(`fromJson toJson toPrettyJson toRawJson mustFromJson mustToJson
		mustToPrettyJson mustToRawJson b32dec b32enc b64dec b64enc adler32sum sha1sum sha256sum sha512sum`)},
	{"paths and URLs", strings.Fields(`base clean dir ext isAbs urlJoin urlParse`)},
	{"types", strings.Fields(`kindIs kindOf typeIs typeIsLike typeOf`)},
	{"versions and times", strings.Fields(`semver semverCompare duration`)},
}

// allowedNames returns the names of the allowed functions.
func allowedNames() []string {
	var names []string
	for _, group := range allowed {
		names = append(names, group.names...)
	}
	return names
}

// refused are the functions of sprig that templates cannot call, by the reason.
var refused = []functionGroup{
	{"reads the environment", []string{"env", "expandenv"}},
	{"reads the clock or the time zone", strings.Fields(`ago date dateInZone dateModify date_in_zone date_modify durationRound
		htmlDate htmlDateInZone mustDateModify mustToDate must_date_modify now toDate unixEpoch`)},
	{"asks the network", []string{"getHostByName"}},
	{"takes paths of the operating system", strings.Fields(`osBase osClean osDir osExt osIsAbs`)},
	{"is random", strings.Fields(`randAlpha randAlphaNum randAscii randBytes randInt randNumeric shuffle uuidv4`)},
	{"makes or uses secrets, with a random salt or key", strings.Fields(`bcrypt buildCustomCert decryptAES derivePassword
		encryptAES genCA genCAWithKey genPrivateKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert
		genSignedCertWithKey htpasswd`)},
	{"is a test of sprig itself", []string{"hello"}},
}

// refusalReason returns why templates cannot call a function of sprig, and "" for other names.
func refusalReason(name string) string {
	for _, group := range refused {
		if slices.Contains(group.names, name) {
			return group.about
		}
	}
	return ""
}

// functions returns the functions of sprig that templates can call. The ones that return keys or
// values of maps sort them. Each call spends its cost.
func functions(r *run) template.FuncMap {
	ofSprig := sprig.TxtFuncMap()
	result := template.FuncMap{}
	for _, name := range allowedNames() {
		result[name] = ofSprig[name]
	}
	result["keys"], result["values"] = sortedKeys, sortedValues
	limitCalls(result, r)
	return result
}

// sortedKeys returns the keys of maps in byte order. sprig returns them in the random order of Go's
// maps.
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
