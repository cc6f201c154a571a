package spec

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// initialisms are the words that Go and the Kubernetes API write in capitals, such as URL.
var initialisms = wordSet(`acl api ascii ca cidr cpu crd csi css dns eof fqdn fs gid gpu guid html http https id iops ip ipc
	json jwt kms lhs nfs oidc os pid qps ram rhs rpc sla smtp sql ssh ssl tcp tls ttl udp ui uid uri url utf8 uuid vm xml
	xmpp xsrf xss`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// PackageNames returns the names that every generated Go package of types declares in addition to
// the types. No kind and no type can have one of them.
func PackageNames() []string {
	return []string{"AddToScheme", "GroupVersion", "Resource", "SchemeGroupVersion"}
}

// GoName returns the exported Go identifier for the name of a field: podIP becomes PodIP,
// serverUrls becomes ServerURLs, per-connection-limit becomes PerConnectionLimit, 2xx becomes X2xx.
// The same name always gives the same identifier; two names of one object may give one.
func GoName(name string) string {
	if !strings.ContainsFunc(name, unicode.IsLower) && strings.ContainsAny(name, "_-") {
		name = strings.ToLower(name) // MAX_SIZE
	}
	var b strings.Builder
	for _, word := range splitWords(name) {
		b.WriteString(capitalizeWord(word))
	}
	first, _ := utf8.DecodeRuneInString(b.String())
	if !unicode.IsUpper(first) {
		return "X" + b.String()
	}
	return b.String()
}

func capitalizeWord(word string) string {
	lower := strings.ToLower(word)
	if initialisms[lower] {
		return strings.ToUpper(word)
	}
	if singular, ok := strings.CutSuffix(lower, "s"); ok && initialisms[singular] && !strings.HasSuffix(singular, "s") { // OSS is no two OS
		return strings.ToUpper(singular) + "s"
	}
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}

// splitWords splits a name at characters that are neither letters nor digits, and before a capital
// after a small letter or a digit: max-URLSize → max, URLSize.
func splitWords(name string) []string {
	var all []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			all = append(all, string(word))
			word = nil
		}
	}
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && len(word) > 0 && !unicode.IsUpper(word[len(word)-1]):
			end()
		}
		word = append(word, r)
	}
	end()
	return all
}

// checkFieldName adds a problem for a field whose name cannot be in a JSON tag of Go, or whose
// goName is invalid or in use. taken maps the Go names in use to the names of fields.
func (d *decoder) checkFieldName(p Property, goNameAt Pos, path string, taken map[string]string) {
	if !isTagName(p.Name) {
		d.failAt(p.Pos, path, "cannot be the name of a field", `Go's JSON names have no quotes, backslashes, commas or control characters`)
	}
	if p.GoName == "" {
		return
	}
	switch other := taken[p.GoName]; {
	case !goIdentifier().MatchString(p.GoName):
		d.failAt(goNameAt, path, strconv.Quote(shortenText(p.GoName))+" is not an exported Go name", "such as "+GoName(p.Name))
	case p.GoName == "DeepCopy" || p.GoName == "DeepCopyInto":
		d.failAt(goNameAt, path, "its Go name "+p.GoName+" is a generated method", "choose another one")
	case other != "":
		d.failAt(goNameAt, path, "its Go name "+p.GoName+" is already that of the field "+other, "set another one with goName: string | goName=Other"+p.GoName)
	}
	taken[p.GoName] = p.Name
}

// nameFields sets the Go names of fields for which the file has none. If several fields would get
// the same name, the first gets it, and the others get the first free number: mirror_percent and
// mirrorPercent → MirrorPercent, MirrorPercent2.
func nameFields(fields []Property) {
	taken := map[string]bool{"DeepCopy": true, "DeepCopyInto": true}
	for _, p := range fields {
		if p.GoName != "" {
			taken[p.GoName] = true
		}
	}
	for i := range fields {
		p := &fields[i]
		if p.GoName != "" {
			continue
		}
		wanted := GoName(p.Name)
		p.GoName = wanted
		for n := 2; taken[p.GoName]; n++ {
			p.GoName = wanted + strconv.Itoa(n)
		}
		taken[p.GoName] = true
	}
}

// isTagName reports whether encoding/json accepts a name in a struct tag.
func isTagName(name string) bool {
	return name != "" && name != "-" && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
	})
}

// decodeGoConstants decodes the names of an enum's constants.
func (d *decoder) decodeGoConstants(s *Schema, n *yaml.Node, path string) {
	s.GoConstants = map[string]string{}
	values := map[string]string{}
	d.eachEntry(n, path, func(key, value *yaml.Node, path string) {
		s.At[joinPath("goConstants", key.Value)] = d.src.positionOf(key)
		name, ok := d.decodeText(value, path)
		switch other := values[name]; {
		case !ok:
			return
		case !kindName().MatchString(name):
			d.fail(value, path, quoteShort(name)+" is not an exported Go name", "such as "+nearestKind(key.Value))
			return
		case other != "":
			d.fail(value, path, quoteShort(name)+" is already the name for "+quoteShort(other), "")
			return
		}
		values[name], s.GoConstants[key.Value] = key.Value, name
	})
}

// checkGoConstants adds a problem for each Go constant whose value is not in the enum.
func (d *decoder) checkGoConstants(s *Schema, path string) {
	if s.GoConstants == nil {
		return
	}
	var values []string
	for _, raw := range s.Keywords.Enum {
		var value string
		if json.Unmarshal(raw.Raw, &value) == nil {
			values = append(values, value)
		}
	}
	if s.Keywords.Type != "string" || len(values) == 0 {
		d.failAt(s.At["goConstants"], joinPath(path, "goConstants"), "does not apply here", "only an enum of strings has constants in Go")
		return
	}
	for _, value := range slices.Sorted(maps.Keys(s.GoConstants)) {
		if !slices.Contains(values, value) {
			d.failAt(s.At[joinPath("goConstants", value)], joinPath(joinPath(path, "goConstants"), value), "is not a value of an enum of strings here", suggestName(value, values))
		}
	}
}
