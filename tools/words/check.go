package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// exception is a line of exceptions.txt: a place that may use a word.
type exception struct {
	path, word, reason string
	needed             bool
}

// check lists the words that are not the glossary's, and the exceptions that nothing needs, one on each line.
func check(files []file, exceptions string) ([]string, error) {
	allowed, err := parseExceptions(exceptions)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, f := range files {
		for _, p := range partsOf(f) {
			for _, e := range glossary {
				if !strings.HasPrefix(f.path, e.in) {
					continue
				}
				places := e.find(p)
				if len(places) == 0 || excepted(allowed, f.path, e.name) {
					continue
				}
				for _, at := range places {
					line := p.line + strings.Count(p.source[:at], "\n")
					found = append(found, fmt.Sprintf("%s:%d: %s: say %s", f.path, line, e.name, e.say))
				}
			}
		}
	}
	for _, e := range allowed {
		if !e.needed {
			found = append(found, fmt.Sprintf("tools/words/exceptions.txt: nothing in %s needs the exception for %q", e.path, e.word))
		}
	}
	return slices.Compact(found), nil
}

// find returns the offsets where a part has the word.
func (e entry) find(p part) []int {
	pattern := e.text
	if p.ident {
		pattern = e.ident
	}
	if pattern == nil {
		return nil
	}
	var places []int
	for _, at := range pattern.FindAllStringIndex(p.words, -1) {
		places = append(places, min(at[0], len(p.source)))
	}
	return places
}

// part is an identifier, a comment or a string of a Go file, or the whole of another one.
type part struct {
	ident  bool
	line   int
	source string // of a text
	words  string // as long as the source
}

// partsOf takes a file apart.
func partsOf(f file) []part {
	if path.Ext(f.path) != ".go" {
		return []part{{line: 1, source: string(f.content), words: plain(string(f.content))}}
	}
	var parts []part
	var s scanner.Scanner
	set := token.NewFileSet()
	where := set.AddFile(f.path, -1, len(f.content))
	s.Init(where, f.content, nil, scanner.ScanComments)
	behindComment := 0 // the offset where a comment ended
	for {
		pos, kind, text := s.Scan()
		line, offset := where.Line(pos), where.Offset(pos)
		switch kind {
		case token.EOF:
			return parts
		case token.IDENT:
			parts = append(parts, part{ident: true, line: line, words: splitWords(text)})
		case token.COMMENT:
			if between := string(f.content[behindComment:offset]); behindComment > 0 && strings.TrimSpace(between) == "" && strings.Count(between, "\n") == 1 {
				last := &parts[len(parts)-1]
				last.source += between + text
				last.words = plain(last.source)
			} else {
				parts = append(parts, part{line: line, source: text, words: plain(text)})
			}
			behindComment = offset + len(text)
		case token.STRING:
			parts = append(parts, part{line: line, source: text, words: plain(text)})
		}
	}
}

// wrapped matches where a comment goes on in the next line.
var wrapped = regexp.MustCompile(`\n\s*(?://|#)? ?`)

// plain returns a text of the same length in lower case in which sentences are not wrapped.
func plain(text string) string {
	text = strings.ToLower(text)
	return wrapped.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
}

// splitWords returns the words of an identifier: leftOverPods is "left over pods".
func splitWords(ident string) string {
	isUpper := func(i int) bool { return i >= 0 && i < len(ident) && 'A' <= ident[i] && ident[i] <= 'Z' }
	var words strings.Builder
	for i, r := range ident {
		inAcronym := isUpper(i-1) && (isUpper(i+1) || i+1 == len(ident))
		if r == '_' || i > 0 && isUpper(i) && !inAcronym {
			words.WriteByte(' ')
		}
		if r != '_' {
			words.WriteRune(r)
		}
	}
	return strings.ToLower(words.String())
}

// parseExceptions reads exceptions.txt: path, word and reason, separated by bars.
func parseExceptions(text string) ([]*exception, error) {
	var all []*exception
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, " | ")
		if len(columns) != 3 {
			return nil, fmt.Errorf("tools/words/exceptions.txt:%d: want path | word | reason", i+1)
		}
		all = append(all, &exception{path: columns[0], word: columns[1], reason: columns[2]})
	}
	return all, nil
}

// excepted reports whether a path may use a word.
func excepted(all []*exception, name, word string) bool {
	for _, e := range all {
		if e.word == word && strings.HasPrefix(name, e.path) {
			e.needed = true
			return true
		}
	}
	return false
}
