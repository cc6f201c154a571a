package crdgen

import (
	"strconv"
	"strings"
)

// steps are what is left of a path: names, and keys in brackets with the bracket still before them.
type steps []string

func splitPath(path string) steps {
	var out steps
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

func (s steps) startWith(name string) bool { return len(s) > 0 && s[0] == name }

// skip drops the next step when it is the name.
func (s *steps) skip(name string) bool {
	if !s.startWith(name) {
		return false
	}
	*s = (*s)[1:]
	return true
}

// peekKey returns the key that follows the next step.
func (s steps) peekKey() string {
	if len(s) < 2 {
		return ""
	}
	return strings.TrimPrefix(s[1], "[")
}

// takeKey takes the next step, a key.
func (s *steps) takeKey() string {
	if len(*s) == 0 {
		return ""
	}
	key := strings.TrimPrefix((*s)[0], "[")
	*s = (*s)[1:]
	return key
}

// skipRules counts a rule from the nth on, when one of those is next: the first n are laid over the
// rules of a type.
func (s *steps) skipRules(n int) bool {
	if !s.startWith("x-kubernetes-validations") || len(*s) < 2 {
		return false
	}
	i, err := strconv.Atoi(s.peekKey())
	if err != nil || i < n {
		return false
	}
	(*s)[1] = "[" + strconv.Itoa(i-n)
	return true
}

// takeIndex takes the next step, a number.
func (s *steps) takeIndex() int {
	n, err := strconv.Atoi(s.takeKey())
	if err != nil {
		return 0
	}
	return n
}

// specPath returns the steps as a path of a spec file: numbers in brackets, names after dots.
func (s steps) specPath() string {
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
