package usertemplates

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
)

const page = "../../../docs/templates.md"

// TestGoldenTemplateDocs keeps docs/templates.md what its template, the comments of values.go and
// the list of functions say.
func TestGoldenTemplateDocs(t *testing.T) {
	prose, err := template.New("templates.md.tmpl").Delims("<<", ">>").Funcs(template.FuncMap{
		"values": valueTables, "functions": func() string { return functionTable("Functions", "About", allowed) },
		"refused": func() string { return functionTable("Functions", "Why templates cannot call them", refused) },
	}).ParseFiles(page + ".tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := prose.Execute(&want, nil); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(page, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("docs/templates.md is out of date: run make docs (-want +got):\n%s", diff)
	}
}

// The templates that the page shows are valid, and make what it says.
func TestTemplatesOfThePage(t *testing.T) {
	text, err := os.ReadFile(page + ".tmpl")
	if err != nil {
		t.Fatal(err)
	}
	source := Folder{Name: "templates", Files: map[string][]byte{}}
	for block := range strings.SplitSeq(string(text), "\n`templates/") {
		name, rest, isBlock := strings.Cut(block, "`:\n\n```")
		_, content, _ := strings.Cut(rest, "\n")
		content, _, _ = strings.Cut(content, "\n```")
		if isBlock {
			source.Files[name] = []byte(content + "\n")
		}
	}
	files, problems := renderSource(source)
	if problems != "" || len(source.Files) != 5 {
		t.Fatalf("%d templates: %s", len(source.Files), problems)
	}
	var made []string
	for _, f := range files {
		made = append(made, f.Path)
	}
	want := []string{
		".github/workflows/test.yaml", "CODEOWNERS", "dashboards/echoserver.json",
		"docs/cache-v1.md", "docs/echoserver-v1alpha1.md", "docs/echoserver-v1.md",
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// hidden are what values.go declares for the renderer.
var hidden = []string{"Values", "apiValues", "versionValues", "WithSample", "withOwnDicts"}

// valueTables are the tables of all values: those that every template has, and those of each type.
func valueTables() (string, error) {
	var decls []ast.Decl
	for _, name := range []string{"values.go", "values_operators.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		decls = append(decls, file.Decls...)
	}
	structs, methods := map[string]*ast.StructType{}, map[string][][]string{}
	var order []string
	docs := map[string]string{}
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					order, docs[s.Name.Name] = append(order, s.Name.Name), sentence(d.Doc, s.Name.Name)
					structs[s.Name.Name], _ = s.Type.(*ast.StructType)
				}
			}
		case *ast.FuncDecl:
			if of, ok := d.Recv.List[0].Type.(*ast.Ident); ok && !slices.Contains(hidden, d.Name.Name) {
				methods[of.Name] = append(methods[of.Name], []string{"`." + d.Name.Name + "`", "text", sentence(d.Doc, d.Name.Name+" returns")})
			}
		}
	}
	var out strings.Builder
	out.WriteString(table("Value", "Type", "Means", slices.Concat(rowsOf(structs["Values"]), rowsOf(structs["apiValues"]), rowsOf(structs["versionValues"]))))
	for _, name := range order {
		if !slices.Contains(hidden, name) {
			fmt.Fprintf(&out, "\n### %s\n\n%s:\n\n", name, strings.TrimSuffix(docs[name], "."))
			out.WriteString(table("Value", "Type", "Means", append(rowsOf(structs[name]), methods[name]...)))
		}
	}
	return out.String(), nil
}

// rowsOf are the exported fields of a struct, each with its type and its comment.
func rowsOf(of *ast.StructType) [][]string {
	var rows [][]string
	for _, f := range of.Fields.List {
		if len(f.Names) == 0 && ast.IsExported(f.Type.(*ast.Ident).Name) && f.Type.(*ast.Ident).Name != "Values" {
			rows = append(rows, []string{"", typeLink(f.Type), "The values of this type, too."})
		}
		for _, name := range f.Names {
			if name.IsExported() {
				rows = append(rows, []string{"`." + name.Name + "`", typeLink(f.Type), sentence(f.Doc, "")})
			}
		}
	}
	return rows
}

// typeLink names a type, with a link to its table.
func typeLink(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.ArrayType:
		return "list of " + typeLink(of.Elt)
	case *ast.StarExpr:
		return typeLink(of.X)
	case *ast.MapType:
		return "dict"
	case *ast.Ident:
		switch of.Name {
		case "string":
			return "text"
		case "bool":
			return "true or false"
		case "int":
			return "number"
		}
		return "[" + of.Name + "](#" + strings.ToLower(of.Name) + ")"
	}
	return ""
}

// sentence is a comment on one line, without what it begins with.
func sentence(comment *ast.CommentGroup, without string) string {
	text := strings.Join(strings.Fields(comment.Text()), " ")
	text = strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(text, without)), "is ")
	return strings.ToUpper(text[:1]) + text[1:]
}

func functionTable(head, about string, groups []functionGroup) string {
	var rows [][]string
	for _, group := range groups {
		names := slices.Sorted(slices.Values(group.names))
		rows = append(rows, []string{group.about, "`" + strings.Join(names, "` `") + "`"})
	}
	return table(about, head, "", rows)
}

// table is a table of Markdown.
func table(first, second, third string, rows [][]string) string {
	heads := []string{first, second}
	if third != "" {
		heads = append(heads, third)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "| %s |\n|%s\n", strings.Join(heads, " | "), strings.Repeat("---|", len(heads)))
	for _, row := range rows {
		fmt.Fprintf(&out, "| %s |\n", strings.Join(row, " | "))
	}
	return out.String()
}

// The page has a table for each type that messages know.
func TestEveryTypeIsDescribed(t *testing.T) {
	content, err := os.ReadFile(filepath.FromSlash(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range valueTypes {
		for _, name := range namesIn(known) {
			if !bytes.Contains(content, []byte("`."+name+"`")) {
				t.Errorf("%s of %s is not described", name, known.Name())
			}
		}
	}
}
