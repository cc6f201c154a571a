package usertemplates

import (
	"maps"
	"strings"
)

// A list of lists that contains its text twice per level, and others that are large or have no end.
const (
	doubled  = `{{ $x := list "word" }}{{ range until 40 }}{{ $x = list $x $x }}{{ end }}`
	deep     = `{{ $x := list }}{{ range until 5000 }}{{ $x = list $x }}{{ end }}`
	endless  = `{{ $x := dict }}{{ $_ := set $x "a" $x }}`
	around   = `{{ $x := dict "a" (dict "b" (list)) }}{{ $_ := set $x.a "b" (list 1 $x) }}`
	longText = `{{ $x := repeat 8000000 "x" }}`
	longList = `{{ $x := list }}{{ range until 10 }}{{ $x = concat $x (until 50000) }}{{ end }}`
)

// attacks are templates that take all time or all memory if nothing limits them.
var attacks = map[string]string{
	"an action with a dict in itself":         endless + `{{ $x }}`,
	"a range over what cannot be printed":     `{{ $l := (index .APIs 1).Labels }}{{ $_ := set $l "a" $l }}{{ range (index .APIs 1) }}{{ end }}`,
	"a comparison of dicts in themselves":     endless + `{{ eq $x $x }}`,
	"a comparison with another dict":          doubled + `{{ eq $x (list 1) }}`,
	"a call with a regular expression":        longText + `{{ regexReplaceAll "x" $x (repeat 10000 "y") }}`,
	"a reference in a replacement":            longText + `{{ regexReplaceAll "x+" $x (repeat 100000 "$0") }}`,
	"a literal replacement":                   longText + `{{ regexReplaceAllLiteral "" $x (repeat 10000 "y") }}`,
	"a large regular expression":              `{{ range until 10000 }}{{ $_ := regexMatch "((a{1000}){1000}){3}" "x" }}{{ end }}`,
	"a regular expression for a large text":   longText + `{{ range until 1000 }}{{ $_ := regexMatch "(x{0,50}){0,19}y" $x }}{{ end }}`,
	"all matches":                             longText + `{{ range until 100 }}{{ $_ := regexFindAll "x" $x -1 }}{{ end }}`,
	"all parts":                               longText + `{{ range until 100 }}{{ $_ := regexSplit "x" $x -1 }}{{ end }}`,
	"a split":                                 longText + `{{ range until 100 }}{{ $_ := split "x" $x }}{{ end }}`,
	"a split list":                            longText + `{{ range until 100 }}{{ $_ := splitList "" $x }}{{ end }}`,
	"a split with a number":                   longText + `{{ range until 100 }}{{ $_ := splitn "x" 99999999 $x }}{{ end }}`,
	"the width of a number":                   `{{ printf (repeat 100000 "%999999[1]d") 1 }}`,
	"the width of each item":                  longList + `{{ printf "%999999d" $x }}`,
	"a width that is an argument":             `{{ printf (repeat 100000 "%[1]*[2]d") 999999 1 }}`,
	"the precision of a number":               `{{ printf (repeat 100000 "%.999999[1]f") 1.0 }}`,
	"an argument many times":                  longText + `{{ printf (repeat 100000 "%[1]s") $x }}`,
	"quoted text":                             longText + `{{ printf (repeat 10 "%[1]q") $x }}`,
	"Go syntax":                               longList + `{{ printf (repeat 1000 "%#[1]v") $x }}`,
	"a join":                                  longText + longList + `{{ join (repeat 100000 "y") $x }}`,
	"a wrap":                                  longText + `{{ wrapWith 1 (repeat 100000 "y") $x }}`,
	"a wrap with a negative width":            longText + `{{ wrapWith -5 (repeat 100000 "y") $x }}`,
	"a repetition":                            `{{ repeat 9223372036854775807 "xyz" }}`,
	"an indentation":                          `{{ indent 9000000 (repeat 1000 "\n") }}`,
	"a replacement by more":                   longText + `{{ replace "" (repeat 10000 "y") $x }}`,
	"numbers at the end of all":               `{{ untilStep 9223372036854775800 9223372036854775807 10 }}`,
	"numbers at the other end":                `{{ untilStep -9223372036854775800 -9223372036854775807 -10 }}`,
	"a sequence at the end of all":            `{{ seq 9223372036854775800 10 9223372036854775806 }}`,
	"a range over a number":                   `{{ range 9223372036854775807 }}{{ end }}`,
	"a loop without calls":                    `{{ range 2000000 }}` + strings.Repeat(`{{ if true }}{{ end }}`, 40000) + `{{ end }}`,
	"a loop with long text":                   `{{ range 2000000 }}` + strings.Repeat("text ", 100000) + `{{ end }}`,
	"long text, included":                     `{{ define "a" }}` + strings.Repeat("text ", 100000) + `{{ end }}{{ range until 30 }}{{ template "b" . }}{{ end }}{{ define "b" }}{{ range until 30 }}{{ $_ := include "a" . }}{{ end }}{{ end }}`,
	"comparisons of long texts":               longText + `{{ $y := repeat 8000000 "x" }}{{ range until 1000000 }}{{ if ne $x $y }}{{ end }}{{ end }}`,
	"comparisons of one with many":            longText + `{{ $y := repeat 8000000 "x" }}{{ range until 100000 }}{{ if lt $x $y }}{{ end }}{{ end }}`,
	"long keys":                               longText + `{{ $d := dict $x 1 }}{{ range until 1000000 }}{{ $_ := index $d $x }}{{ end }}`,
	"a long name":                             `{{ $d := dict "a" 1 }}{{ range 2000000 }}{{ if false }}{{ $d.` + strings.Repeat("x", 900000) + ` }}{{ end }}{{ end }}`,
	"lists that grow":                         longList + `{{ range until 10000 }}{{ $x = concat $x $x }}{{ end }}`,
	"one list many times":                     longList + `{{ $l := concat` + strings.Repeat(" $x", 5000) + ` }}`,
	"one list 900 times":                      longList + `{{ $l := concat` + strings.Repeat(" $x", 900) + ` }}`,
	"a key that is no text":                   endless + `{{ dict $x 1 }}`,
	"numbers that are none":                   endless + `{{ slice (list 1) $x }}`,
	"keys of one dict 900 times":              `{{ $d := dict }}{{ range $i := until 50000 }}{{ $_ := set $d (toString $i) $i }}{{ end }}{{ $l := keys` + strings.Repeat(" $d", 900) + ` }}`,
	"one text many times":                     longText + `{{ $l := cat` + strings.Repeat(" $x", 5000) + ` }}`,
	"one text in one list":                    longText + `{{ $l := list` + strings.Repeat(" $x", 500) + ` }}{{ join "" $l }}`,
	"copies of lists":                         longList + `{{ $l := list }}{{ range until 10000 }}{{ $l = append $l (reverse $x) }}{{ end }}`,
	"copies of dicts":                         `{{ $d := dict }}{{ range $i := until 100000 }}{{ $_ := set $d (toString $i) $i }}{{ end }}{{ $l := list }}{{ range until 10000 }}{{ $l = append $l (deepCopy $d) }}{{ end }}`,
	"different items":                         longList + `{{ $x = uniq $x }}`,
	"items without":                           longList + `{{ range until 100 }}{{ $y := without $x 1 2 3 4 5 6 7 8 9 }}{{ end }}`,
	"a product of many":                       `{{ $p := mulf` + strings.Repeat(" 1.2345678901234", 50000) + ` }}`,
	"JSON":                                    `{{ $j := fromJson (printf "[%s]" (repeat 1000000 "0," | trimSuffix ",")) }}`,
	"deep JSON":                               `{{ $j := fromJson (printf "%s%s" (repeat 9000 "[") (repeat 9000 "]")) }}{{ $j }}`,
	"pretty JSON":                             `{{ $j := list }}{{ range until 900 }}{{ $j = list $j }}{{ end }}{{ $l := list }}{{ range until 1000 }}{{ $l = append $l $j }}{{ end }}{{ toPrettyJson $l }}`,
	"constraints":                             `{{ semverCompare (repeat 2000000 ">1||" | trimSuffix "||") "1.2.3" }}`,
	"a version":                               `{{ semver (printf "1.2.3-%s" (repeat 1000000 "a")) }}`,
	"templates without end":                   `{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}`,
	"templates in templates, twice per level": `{{ define "a" }}{{ if . }}{{ template "a" (rest .) }}{{ template "a" (rest .) }}{{ end }}{{ end }}{{ template "a" (until 90) }}`,
	"parentheses":                             `{{ ` + strings.Repeat("(", 900000),
	"blocks in blocks":                        strings.Repeat("{{if 1}}", 120000) + strings.Repeat("{{end}}", 10),
	"blocks in blocks that end":               strings.Repeat("{{if 1}}", 60000) + "x" + strings.Repeat("{{end}}", 60000),
}

// readers are the functions that read all of a value.
var readers = strings.Fields(`print println html js urlquery toString toStrings quote squote cat toJson toPrettyJson toRawJson mustToJson mustToPrettyJson
	mustToRawJson deepCopy mustDeepCopy uniq sortAlpha upper nospace`)

// allAttacks returns the attacks, and those of each function that reads all of a value.
func allAttacks() map[string]string {
	all := maps.Clone(attacks)
	for value, setup := range map[string]string{"doubled": doubled, "deep": deep, "endless": endless, "around": around} {
		for _, function := range readers {
			all[function+" of what is "+value] = setup + `{{ $y := ` + function + ` $x }}`
		}
		for use, call := range map[string]string{
			"join": `join "" $x`, "printf": `printf "%v" $x`, "printf of Go syntax": `printf "%#v" $x`, "deepEqual": `deepEqual $x (deepCopy $x)`,
			"has": `has $x (list $x $x)`, "without": `without (list $x $x) $x`, "merge": `merge (dict) (dict "a" $x) (dict "a" $x)`, "an item of print": `print (list $x)`,
			"mergeOverwrite": `mergeOverwrite (dict "a" $x) (dict "a" $x)`, "fail": `fail (toString $x)`, "an action": `$x`, "a range": `range $x`,
		} {
			switch use {
			case "an action":
				all[use+" of what is "+value] = setup + `{{ $x }}`
			case "a range":
				all[use+" of what is "+value] = setup + `{{ range $x }}{{ . }}{{ end }}`
			default:
				all[use+" of what is "+value] = setup + `{{ $y := ` + call + ` }}`
			}
		}
	}
	return all
}
