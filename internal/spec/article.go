package spec

import (
	"strings"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// spelledVowel finds names that start with an initialism whose first letter is spoken with a vowel:
// HTTPProxy.
var spelledVowel = lazyregexp.New(`^[AEFHILMNORSX]([A-Z0-9]|$)`)

// WithArticle returns the name of a kind or of a type behind its indefinite article.
func WithArticle(name string) string {
	if strings.ContainsAny(name[:min(1, len(name))], "AEIOaeio") || spelledVowel().MatchString(name) {
		return "an " + name
	}
	return "a " + name
}
