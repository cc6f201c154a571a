package main

import (
	"regexp"
	"strings"
)

// entry is a word that a concept is not called by.
type entry struct {
	name string // the word, as exceptions.txt has it
	say  string // the glossary's word
	in   string // a prefix of the paths that it holds for; empty: all
	// ident matches the words of an identifier, in lower case, separated by spaces; text matches comments, strings and
	// documentation in lower case. Nil matches nothing.
	ident, text *regexp.Regexp
}

// word is an entry for a word in identifiers and texts alike.
func word(name, pattern, say string) entry {
	return entry{name: name, say: say, ident: whole(pattern), text: whole(pattern)}
}

// identWord is an entry for a word in the identifiers of a folder; in texts it is plain English.
func identWord(in, name, pattern, say string) entry {
	return entry{name: name, say: say, in: in, ident: whole(pattern)}
}

// phrase is an entry for words in texts.
func phrase(name, pattern, say string) entry {
	return entry{name: name, say: say, text: whole(pattern)}
}

// whole matches whole words, with any white space between them.
func whole(pattern string) *regexp.Regexp {
	pattern = strings.NewReplacer(" ?", `\s*`, " ", `\s+`).Replace(pattern)
	return regexp.MustCompile(`\b(?:` + pattern + `)\b`)
}

// glossary is the "Not" column of the project's glossary.
var glossary = []entry{
	identWord("runtime/", "pass", `pass|passes`, "reconcile"),
	phrase("pass", `(?:another|each|every|the|this|that|one|first|second|last|next|per|a|following|previous|whole) pass|(?:two|three|several) passes|passes of`, "reconcile"),
	phrase("round", `(?:another|each|next) round`, "reconcile"),
	word("offspring", `offspring`, "children, child cache"),
	identWord("runtime/", "wanted", `wanted|wants`, "desired"),
	identWord("runtime/internal/reconcile/", "live", `^live$`, "observed, or liveX for a live read"),
	word("left over", `left ?over|leftovers`, "undesired, or leaked"),
	identWord("runtime/", "vain", `vain`, "undesired, or no-op"),
	word("strays", `strays?|strayed`, "leaked"),
	identWord("runtime/", "lost", `^lost$`, "leaked"),
	word("lingering", `linger|lingers|lingering`, "leaked"),
	word("nobody's", `nobody's`, "orphaned"),
	word("contested", `contest|contests|contested|contend|contends|contended`, "field manager conflict"),
	word("rival", `rivals?`, "field manager conflict, other field manager"),
	word("fight", `fights?|fighting`, "field manager conflict"),
	word("dispute", `disputes?|disputed`, "field manager conflict"),
	word("restless", `restless|restlessness`, "hot loop"),
	phrase("at rest", `at rest|at peace|rests`, "in sync, converged"),
	phrase("hold back", `holds? back|held back|holding back`, "back off"),
	identWord("runtime/", "hold", `^(?:hold|holds|held)$`, "back off"),
	phrase("look again", `looks? again|looked again`, "retry"),
	word("name taken", `name taken|nametaken`, "name conflict"),
	word("make anew", `anew`, "recreate; again"),
	word("replace if", `replace if|replaceif`, "RecreateIf"),
	word("retired", `retired`, "pruneOnly"),
	word("hands off", `hands? off`, "paused, disconnected"),
	word("judge", `judges?|judged|judging|verdicts?`, "compare"),
	word("doubt", `doubts?|doubted|doubtful`, "compare"),
	identWord("runtime/", "recognize", `recognize|recognizes|recognized`, "compare"),
	identWord("runtime/", "memo", `memo|memos`, "applied state"),
	phrase("memo", `memos?`, "applied state"),
	identWord("runtime/internal/apply/", "minus", `minus|within|beyond|covers`, "Difference, Intersection, Has"),
	word("unsaid", `unsaid`, "not expressible"),
	word("senseless", `senseless`, "unsatisfiable"),
	word("misfit", `misfits?`, "version mismatch"),
	word("mistake", `mistakes?`, "error"),
	phrase("a hand", `a hand|(a|their|its|other) hands|hands (off|on)|in the hands`, "say who did what"), // a child hands over fields
	phrase("reports whether", `tells? whether`, "reports whether"),
}
