package spec

import "slices"

// SchemaKeys returns every key that a schema which is written as a mapping may have, sorted.
func SchemaKeys() []string { return slices.Clone(schemaKeys) }

// Markers returns the names of the shorthand's markers, sorted.
func Markers() []string { return markerNames() }

// Types returns the words of the shorthand's types, and the prefixes []string and map[string]string of lists and
// maps, sorted.
func Types() []string { return shorthandWords() }
