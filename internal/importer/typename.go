package importer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gobuffalo/flect"
	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/spec"
)

// typeName is what the name of a type must be.
var typeName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,62}$`)

// takenNames returns the names that a Go package of a kind has anyway.
func takenNames(names *yaml.Node) map[string]bool {
	kind, list := text(get(names, "kind")), text(get(names, "listKind"))
	goKind := spec.GoName(kind)
	taken := map[string]bool{"GroupVersion": true, "AddToScheme": true, "Resource": true}
	for _, name := range []string{kind, goKind, list, goKind + "List", goKind + "Spec", goKind + "Status"} {
		taken[name] = true
	}
	return taken
}

// nameObjects gives every object a name of its own, in their order. Where several want one, it goes to that with
// the most places.
func nameObjects(objects []*object, taken map[string]bool) {
	claims, wanted := map[string]*object{}, map[*object][]string{}
	for _, o := range objects {
		names := o.candidates()
		wanted[o] = names
		for _, first := range names[:1] {
			if rival := claims[first]; !taken[first] && (rival == nil || len(o.places) > len(rival.places)) {
				claims[first] = o
			}
		}
	}
	for _, o := range objects {
		free := func(name string) bool {
			claimed := claims[name]
			return !taken[name] && (claimed == nil || claimed == o) && typeName.MatchString(name)
		}
		o.name = o.choose(wanted[o], free)
		taken[o.name] = true
	}
}

// choose returns the first of some names that is free: as it stands, behind the names of what is around it, or with
// a number.
func (o *object) choose(names []string, free func(string) bool) string {
	for _, name := range names {
		if free(name) {
			return name
		}
	}
	for _, name := range names {
		p := o.placeOf(name)
		for p = p.parent; p != nil; p = p.outer() {
			name = joinNames(p.typeLabel(), name)
			if free(name) {
				return name
			}
		}
	}
	base := "Object"
	for _, name := range names {
		if len(name) <= 60 && typeName.MatchString(name) {
			base = name
			break
		}
	}
	for i := 2; ; i++ {
		if name := base + strconv.Itoa(i); free(name) {
			return name
		}
	}
}

// outer returns the place around a place, nil when it has a type of its own: nothing around that names what is in it.
func (p *place) outer() *place {
	if p.object != nil && len(p.object.places) > 1 {
		return nil
	}
	return p.parent
}

// typeLabel returns the name of the type of the object at a place.
func (p *place) typeLabel() string {
	if p.object != nil && p.object.name != "" {
		return p.object.name
	}
	return p.label
}

// placeOf returns the first place that a name comes from.
func (o *object) placeOf(name string) *place {
	for _, p := range o.places {
		if strings.HasSuffix(p.telling(), name) {
			return p
		}
	}
	return o.places[0]
}

// candidates returns the names that fit an object, best first: that of the Kubernetes type that it nearly is, then
// what it is called at most places, or what the names of several places have in common.
func (o *object) candidates() []string {
	var names []string
	if like := o.like(); like != "" {
		names = append(names, like)
	}
	whole, count := map[string]bool{}, map[string]int{}
	for _, p := range o.places {
		whole[p.telling()] = true
	}
	var endings []string // in order of first use, the longest first
	for _, p := range o.places {
		words := nameWords(p.telling())
		for i := range words {
			ending := strings.Join(words[i:], "")
			switch {
			case !whole[ending] && (len(whole) == 1 || o.isWithin(ending)), isGeneric(ending) && !vague[ending]:
				continue
			}
			if count[ending]++; count[ending] == 1 {
				endings = append(endings, ending)
			}
		}
	}
	slices.SortStableFunc(endings, func(a, b string) int { return count[b] - count[a] })
	for _, ending := range endings {
		if vague[ending] && count[ending] < len(o.places) {
			continue
		}
		if count[ending] == count[endings[0]] || count[ending]*2 >= len(o.places) {
			names = append(names, ending)
		}
	}
	return append(names, o.places[0].telling())
}

// isWithin tells whether something around an object has a name.
func (o *object) isWithin(name string) bool {
	return slices.ContainsFunc(o.places, func(p *place) bool {
		for p = p.parent; p != nil; p = p.parent {
			if p.label == name {
				return true
			}
		}
		return false
	})
}

// descriptions maps the fields of an object to their descriptions.
func descriptions(n *yaml.Node) map[string]string {
	fields := map[string]string{}
	for _, e := range entries(value(n, "properties")) {
		fields[e.key.Value] = text(value(e.value, "description"))
	}
	return fields
}

// telling returns the name of a place, behind those of what is around it as long as it tells nothing by itself.
func (p *place) telling() string {
	name := p.label
	for outer := p.parent; outer != nil && isGeneric(name); outer = outer.parent {
		name = joinNames(outer.label, name)
	}
	return name
}

// The words that tell nothing as the name of a type, and those of them that do where several names end with them.
var (
	generic = wordSet(`Additional All And Any Arg Args Attribute Attributes Base By Common Config Configuration Content
		Custom Data Default Defaults Definition Detail Details Element Entry Extra Field For From Global Group If In Info
		Input Is Item Items Key Kind List Local Map Meta Metadata Mode Name Not Object On One Option Options Or Other Out
		Output Param Parameter Parameters Params Properties Property Ref Reference Result Results Root Rule Section Setting
		Settings Source Spec Specification State Status Target Template To Type Value Values With`)
	vague = wordSet(`Config Configuration Metadata Options Parameters Reference Result Rule Settings Source State Target
		Template`)
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

func isGeneric(name string) bool {
	return len(name) < 2 || generic[name] || strings.HasPrefix(name, "X") && len(name) > 1 && unicode.IsDigit(rune(name[1]))
}

// joinNames puts one name before another, without what the first ends and the second begins with.
func joinNames(outer, name string) string {
	before, after := nameWords(outer), nameWords(name)
	for shared := min(len(before), len(after)); shared > 0; shared-- {
		if slices.Equal(before[len(before)-shared:], after[:shared]) {
			return outer + strings.Join(after[shared:], "")
		}
	}
	return outer + name
}

// nameWords splits a Go name into its words: HTTPRouteIPs into HTTP, Route and IPs.
func nameWords(name string) []string {
	var words []string
	start := 0
	for i := 1; i < len(name); i++ {
		if startsWord(name, i) {
			words = append(words, name[start:i])
			start = i
		}
	}
	return append(words, name[start:])
}

// startsWord tells whether a capital begins a word: after something else, or before it unless it belongs to the
// capitals before it, as in IPs and IPv4.
func startsWord(name string, i int) bool {
	capital := func(i int) bool { return i < len(name) && name[i] >= 'A' && name[i] <= 'Z' }
	switch {
	case !capital(i) || i+1 == len(name) && capital(i-1):
		return false
	case !capital(i - 1):
		return true
	case capital(i+1) || name[i+1] >= '0' && name[i+1] <= '9':
		return false
	case name[i+1] == 's':
		return i+2 < len(name) && !capital(i+2)
	}
	return name[i+1] != 'v'
}

// elementLabel returns what an item of a list or a value of a map is called: the singular of the list's name.
func elementLabel(list string) string {
	words := nameWords(list)
	last := words[len(words)-1]
	if short, plural := strings.CutSuffix(last, "s"); plural && short == strings.ToUpper(short) {
		return strings.TrimSuffix(list, "s") // IPs
	}
	if singular := flect.Singularize(last); len(singular) > 2 && !strings.HasSuffix(singular, "um") {
		last = singular
	}
	return strings.Join(words[:len(words)-1], "") + last
}
