package spec

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// matchPathForm returns the form of a path to a value that is compared, in a parent or in a related object.
// Package opcheck checks it against the schema.
func matchPathForm(of, example string) form {
	return form{
		pattern: `^` + escapedNameSteps + `$`, examples: []any{example}, expects: "a path of fields of " + of + ", such as " + example,
		check: func(text, _ string) (message, hint string) {
			hint = "such as " + example
			switch {
			case escapedPath().MatchString(text):
				return "", ""
			case escapedPath().MatchString("." + text):
				hint = "a path starts with a dot: ." + text
			case strings.Contains(text, "["):
				hint = "items of lists have no path"
			}
			return quoteShort(text) + " is not a path of fields of " + of, hint
		},
	}
}

var (
	matchedPathForm   = matchPathForm("the object", ".spec.clusterName")
	matchedByPathForm = matchPathForm("the parent", ".metadata.name")
)

// pathPairs accepts a mapping of paths in an object to paths in the parent.
func pathPairs(into *map[string]string) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			pairs := map[string]string{}
			isMapping := d.eachEntry(n, path, func(key, value *yaml.Node, path string) {
				var from, to string
				formedText(&from, &matchedPathForm).decode(d, key, path)
				formedText(&to, &matchedByPathForm).decode(d, value, path)
				if from != "" && to != "" {
					pairs[from] = to
				}
			})
			if isMapping && len(n.Content) == 0 {
				d.fail(n, path, "has no paths", "such as {.spec.clusterName: .metadata.name}")
			}
			*into = pairs
		},
		schema: func(*Language) *jsonschema.Schema {
			pairs := jsonschema.MapOf(matchedByPathForm.schema())
			pairs.PropertyNames, pairs.MinProperties = matchedPathForm.schema(), 1
			return pairs
		},
	}
}

// checkMatchedMetadata adds a problem for a path of match to a field that the cache of the entry leaves
// out.
func (d *decoder) checkMatchedMetadata(r *Related, n *yaml.Node, path string) {
	if r.Cache != CacheMetadata || len(r.Match) == 0 {
		return
	}
	_, pairs := lookupKey(n, "match")
	d.eachEntry(pairs, joinPath(path, "match"), func(key, _ *yaml.Node, path string) {
		if !strings.HasPrefix(key.Value, ".metadata.") {
			d.fail(key, path, key.Value+" is not in the metadata, and cache: metadata keeps nothing else", "leave cache out, or match a label")
		}
	})
}
