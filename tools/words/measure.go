package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"strings"
)

const (
	maxFileLines     = 300 // of which generated files are excepted
	maxFunctionLines = 60
)

// measures are counts over the Go code of the product and its tools, without tests.
type measures struct {
	codeLines                       int // without blanks and comments
	functions, oneWord              int // unexported functions of packages
	methods, oneWordMethods         int // unexported ones
	longFiles, longFunctions, names []string
}

// measure reports the names and the sizes of what is declared.
func measure(files []file) string {
	m := measures{}
	for _, f := range files {
		measured := strings.HasPrefix(f.path, "cmd/") || strings.HasPrefix(f.path, "internal/") ||
			strings.HasPrefix(f.path, "runtime/") || strings.HasPrefix(f.path, "tools/")
		if measured && path.Ext(f.path) == ".go" && !strings.HasSuffix(f.path, "_test.go") {
			m.add(f)
		}
	}
	return m.String()
}

func (m *measures) add(f file) {
	m.codeLines += codeLines(f.content)
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, f.path, f.content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return
	}
	if lines := bytes.Count(f.content, []byte("\n")); lines > maxFileLines && !ast.IsGenerated(parsed) {
		m.longFiles = append(m.longFiles, fmt.Sprintf("%s: %d", f.path, lines))
	}
	for _, decl := range parsed.Decls {
		if function, ok := decl.(*ast.FuncDecl); ok {
			m.addFunction(set, path.Dir(f.path), function)
		}
	}
}

func (m *measures) addFunction(set *token.FileSet, pkg string, f *ast.FuncDecl) {
	name := f.Name.Name
	if lines := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; lines > maxFunctionLines {
		m.longFunctions = append(m.longFunctions, fmt.Sprintf("%s.%s: %d", pkg, name, lines))
	}
	if f.Name.IsExported() || name == "main" || name == "init" {
		return
	}
	oneWord := strings.ToLower(name) == name
	if f.Recv == nil {
		m.functions++
		if oneWord {
			m.oneWord++
			m.names = append(m.names, pkg+"."+name)
		}
		return
	}
	m.methods++
	if oneWord {
		m.oneWordMethods++
	}
}

// codeLines counts the lines that have code.
func codeLines(content []byte) int {
	var s scanner.Scanner
	set := token.NewFileSet()
	where := set.AddFile("", -1, len(content))
	s.Init(where, content, nil, 0)
	lines := map[int]bool{}
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return len(lines)
		}
		if kind == token.SEMICOLON && text == "\n" {
			continue
		}
		for i := range strings.Count(text, "\n") + 1 {
			lines[where.Line(pos)+i] = true
		}
	}
}

func (m *measures) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "lines of code: %d\n", m.codeLines)
	fmt.Fprintf(&b, "unexported functions of one word: %d of %d, %d %%\n", m.oneWord, m.functions, 100*m.oneWord/max(m.functions, 1))
	fmt.Fprintf(&b, "unexported methods of one word: %d of %d, %d %%\n", m.oneWordMethods, m.methods, 100*m.oneWordMethods/max(m.methods, 1))
	for _, list := range []struct {
		title string
		lines []string
	}{
		{fmt.Sprintf("files of more than %d lines", maxFileLines), m.longFiles},
		{fmt.Sprintf("functions of more than %d lines", maxFunctionLines), m.longFunctions},
		{"functions of one word", m.names},
	} {
		fmt.Fprintf(&b, "%s: %d\n", list.title, len(list.lines))
		for _, line := range list.lines {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	return b.String()
}
