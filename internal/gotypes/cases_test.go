package gotypes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/gotypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// typesCase is a package of an author with the kind Thing.
type typesCase struct {
	name   string
	source string // the types of the kind
}

// readCases is what was read of the packages of cases, which are loaded at once.
type readCases struct {
	problems map[string]spec.Problems // by the name of the case
	warnings map[string]spec.Problems
	apis     map[string]*spec.API // filled in from the Go types; nil while any case has problems
	authored gotypes.Authored
}

// readAll reads the packages of cases, each with a folder of its own below api.
func readAll(t *testing.T, cases []typesCase) readCases {
	t.Helper()
	source := gotypes.Source{Dir: module(t, archive(t, "module.txtar")), Files: map[string][]byte{}}
	var packages []gotypes.AuthoredPackage
	nameOf, parsed := map[string]string{}, map[string]*spec.API{}
	for i, c := range cases {
		version := versionName(i)
		api, problems := spec.ParseAPI("api/thing.yaml", []byte(strings.ReplaceAll(thingAPI, "name: v1", "name: "+version)))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		nameOf["api/"+version] = c.name
		parsed[c.name] = api
		text := c.source
		if !strings.HasPrefix(text, "import") {
			text = "\n" + text // the types begin at line 4
		}
		source.Files["api/"+version+"/thing.go"] = []byte(strings.Replace(thing, "package v1", "package "+version, 1))
		source.Files["api/"+version+"/spec.go"] = []byte("package " + version + "\n\n" + text)
		source.Files["api/"+version+"/zz_generated.register.go"] = []byte(register + version + "\n")
		packages = append(packages, packageOf(api)...)
	}
	authored, problems, err := gotypes.Versions(source, packages)
	if err != nil {
		t.Fatal(err)
	}
	read := readCases{map[string]spec.Problems{}, map[string]spec.Problems{}, map[string]*spec.API{}, authored}
	sort := func(problems spec.Problems, into map[string]spec.Problems) {
		for _, problem := range problems.Sorted() {
			dir, file, _ := strings.Cut(strings.TrimPrefix(problem.Pos.File, "api/"), "/")
			name := nameOf["api/"+dir]
			problem.Pos.File = file
			into[name] = append(into[name], problem)
		}
	}
	sort(problems, read.problems)
	sort(authored.Warnings, read.warnings)
	for name, api := range parsed {
		read.apis[name] = authored.APIs[api]
	}
	return read
}

func textOf(problems spec.Problems) string {
	if len(problems) == 0 {
		return ""
	}
	return problems.Error() + "\n"
}

// versionName returns the version and the package of a case by its index.
func versionName(i int) string { return fmt.Sprintf("v%d", i+1) }

// withTags returns source with back quotes in the place of ' and ~.
func withTags(source string) string { return strings.NewReplacer("'", "`", "~", "`").Replace(source) }
