package crdgen

import (
	"strconv"
	"strings"
)

// pathElements are the rest of a path. A key in brackets keeps its opening bracket:
//
//	spec.versions[0].properties[name]  →  spec  versions  [0  properties  [name
type pathElements []string

func splitPath(path string) pathElements {
	var out pathElements
	for path != "" {
		if path[0] == '[' {
			if end := strings.IndexByte(path, ']'); end > 0 {
				out, path = append(out, path[:end]), strings.TrimPrefix(path[end+1:], ".")
				continue
			}
		}
		end := strings.IndexAny(path, ".[")
		if end <= 0 {
			return append(out, path)
		}
		out, path = append(out, path[:end]), strings.TrimPrefix(path[end:], ".")
	}
	return out
}

func (s pathElements) startsWith(name string) bool { return len(s) > 0 && s[0] == name }

// skip removes the next element if it is the name. It returns false otherwise.
func (s *pathElements) skip(name string) bool {
	if !s.startsWith(name) {
		return false
	}
	*s = (*s)[1:]
	return true
}

// peekKey returns the key after the next element.
func (s pathElements) peekKey() string {
	if len(s) < 2 {
		return ""
	}
	return strings.TrimPrefix(s[1], "[")
}

// takeKey removes the next element, and returns it as a key.
func (s *pathElements) takeKey() string {
	if len(*s) == 0 {
		return ""
	}
	key := strings.TrimPrefix((*s)[0], "[")
	*s = (*s)[1:]
	return key
}

// skipRules subtracts n from the index of a CEL rule, if such a path is next and the index is at
// least n. In the schema of a use, the n rules of the use come before those of its type.
func (s *pathElements) skipRules(n int) bool {
	if !s.startsWith("x-kubernetes-validations") || len(*s) < 2 {
		return false
	}
	i, err := strconv.Atoi(s.peekKey())
	if err != nil || i < n {
		return false
	}
	(*s)[1] = "[" + strconv.Itoa(i-n)
	return true
}

// takeIndex removes the next element, and returns it as a number.
func (s *pathElements) takeIndex() int {
	n, err := strconv.Atoi(s.takeKey())
	if err != nil {
		return 0
	}
	return n
}

// specPath returns the elements as a path of a spec file, with numbers in brackets and names after
// dots: versions[0].properties.name.
func (s pathElements) specPath() string {
	var b strings.Builder
	for _, step := range s {
		key, bracket := strings.CutPrefix(step, "[")
		if _, err := strconv.Atoi(key); bracket && err == nil {
			b.WriteString(step + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(key)
	}
	return b.String()
}
