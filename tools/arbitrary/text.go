package arbitrary

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"pgregory.net/rapid"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// formats are values of the formats that the API server checks; the others are not looked at.
var formats = map[string][]string{
	"date-time":      {"2026-01-02T03:04:05Z", "1999-12-31T23:59:59+01:00", "2026-01-02T03:04:05.678Z"},
	"datetime":       {"2026-01-02T03:04:05Z", "2014-12-15T19:30:20.000Z"},
	"date":           {"2026-01-02", "1970-01-01"},
	"duration":       {"1h", "1m30s", "0s", "22 ns", "-3ms"},
	"byte":           {"ZXhhbXBsZQ==", "AA==", "/+8="},
	"password":       {"example", "p4$$ \"w\""},
	"email":          {"user@example.com", "a+b@c.d"},
	"hostname":       {"example.com", "localhost"},
	"uri":            {"https://example.com/a?b=c&d#e", "/path"},
	"ipv4":           {"192.0.2.1", "0.0.0.0"},
	"ipv6":           {"2001:db8::1", "::"},
	"cidr":           {"192.0.2.0/24", "2001:db8::/32", "0.0.0.0/0"},
	"mac":            {"00:00:5e:00:53:01", "00-00-5E-00-53-01"},
	"uuid":           {"00000000-0000-4000-8000-000000000000", "6BA7B8109DAD11D180B400C04FD430C8"},
	"uuid3":          {"00000000-0000-3000-8000-000000000000"},
	"uuid4":          {"00000000-0000-4000-8000-000000000000"},
	"uuid5":          {"00000000-0000-5000-8000-000000000000"},
	"bsonobjectid":   {"507f1f77bcf86cd799439011"},
	"isbn":           {"0321751043", "978-0321751041"},
	"isbn10":         {"0321751043"},
	"isbn13":         {"978-0321751041"},
	"creditcard":     {"4111111111111111"},
	"ssn":            {"111-11-1111"},
	"hexcolor":       {"#FFFFFF", "#abc"},
	"rgbcolor":       {"rgb(255,255,255)"},
	"k8s-short-name": {"example", "a-1"},
	"k8s-long-name":  {"example.com", "a"},
}

// patternTexts are texts of the patterns whose Go types read less than what the patterns match, or
// write it otherwise.
var patternTexts = sync.OnceValue(func() map[string][]string {
	quantities := []string{"0", "1", "100m", "1Gi", "1.5Gi", "1e3", "0.5", "2048Ki", "1000", "12E"}
	quantity, _ := kubetypes.Outline(spec.TypeQuantity)
	return map[string][]string{
		quantity.Schema.Pattern: quantities,
		spec.QuantityPattern:    quantities,
		spec.DurationPattern:    {"0", "1h", "1h30m", "-1.5s", "+.5h", "1m0.000001s", "2562047h47m16.854775807s", "3µs", "3μs"},
		spec.MicroTimePattern:   {"2026-01-02T03:04:05.678901Z", "1999-12-31T23:59:59.000000+01:00"},
	}
})

// texts returns strings of a format, a pattern and a length: the shortest, the longest, and others.
func (m *scalarMaker) texts(l limits) []any {
	var all []string
	for _, format := range l.formats {
		all = append(all, formats[format]...)
	}
	checked := len(all) > 0
	for _, pattern := range l.patterns {
		known, found := patternTexts()[pattern]
		all, checked = append(all, known...), checked || found
	}
	switch {
	case len(l.patterns) > 0 && !checked:
		all = append(all, m.matching(l)...)
	case !checked:
		all = append(all, "", "a", "example", "null", "1", "1.5", "true", "<&> \u2028 \"quoted\" \\", "ünïcödé 😀", "two\nlines\n", " ",
			"/path", "https://example.com/a", "example.com", "10")
	}
	if !checked {
		all = append(all, m.atLengths(l)...)
		all = append(all, m.fromLiterals(l)...)
	}
	out := make([]any, len(all))
	for i, s := range all {
		out[i] = s
	}
	return out
}

// atLengths returns strings of the shortest and the longest length.
func (m *scalarMaker) atLengths(l limits) []string {
	var all []string
	for _, length := range []*int64{l.MinLength, l.MaxLength} {
		if length == nil || *length > int64(m.longestText) {
			continue
		}
		for _, letter := range []string{"a", "A", "1", "ü", "a.", "/a"} {
			runes := []rune(strings.Repeat(letter, int(*length)))
			all = append(all, string(runes[:*length]))
		}
	}
	return all
}

// plainTexts match many patterns, and are what people write.
var plainTexts = []string{
	"", "a", "example", "Example", "1", "80", "1s", "1h30m", "100Mi", "50%", "1.2.3", "v1.2.3", "example.com", "/path", "a/b",
	"a=b", "10.0.0.0/8", "192.0.2.1", "2001:db8::1", "https://example.com", "arn:aws:iam::123456789012:role/a", "sha256:" + hex64, hex64,
}

const hex64 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// matching returns strings that all patterns match.
func (m *scalarMaker) matching(l limits) []string {
	var all []string
	add := func(s string) bool {
		if l.allow(s) && !slices.Contains(all, s) {
			all = append(all, s)
		}
		return len(all) < 12
	}
	for _, s := range plainTexts {
		add(s)
	}
	for _, pattern := range l.patterns {
		for range 60 {
			s, ok := matchingText(pattern, int(m.random.Uint32()))
			if !ok || !add(s) {
				break
			}
		}
	}
	for range 4 { // for several patterns at once, and for lengths that a pattern seldom gives
		if s, ok := m.composeText(l.demands()); !ok || !add(s) {
			break
		}
	}
	return all
}

// matchingText returns a string that a pattern matches.
func matchingText(pattern string, seed int) (s string, ok bool) {
	defer func() {
		if recover() != nil { // what rapid does when it finds none, or cannot read the pattern
			s, ok = "", false
		}
	}()
	return patternGenerator(pattern).Example(seed), true
}

var generators, compiled sync.Map // by pattern

func patternGenerator(pattern string) *rapid.Generator[string] {
	made, _ := generators.LoadOrStore(pattern, sync.OnceValue(func() *rapid.Generator[string] {
		return rapid.StringMatching(pattern)
	}))
	return made.(func() *rapid.Generator[string])()
}

// matches reports whether all patterns match a string. One that Go cannot read matches nothing.
func (l *limits) matches(s string) bool {
	for _, pattern := range l.patterns {
		made, known := compiled.Load(pattern)
		if !known {
			re, _ := regexp.Compile(pattern)
			made, _ = compiled.LoadOrStore(pattern, re)
		}
		if re := made.(*regexp.Regexp); re == nil || !re.MatchString(s) {
			return false
		}
	}
	return true
}

// words returns a text for where any will do.
func (m *chooser) words() string {
	all := []string{"example", "", "two words", "# no comment", "a: b", "\"quoted\"", "tab\tand\nline", "<script>", "日本語"}
	return all[m.random.IntN(len(all))]
}
