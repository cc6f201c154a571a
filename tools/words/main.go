// Words checks that the repository uses the words of its glossary, which is in glossary.go: none of the words that a
// concept must not be called is in an identifier, a comment, a message or the documentation. It also checks that doc
// comments of Go code begin with the name that they document.
//
//	go run ./tools/words            # report what is not so; exit status 1 if there is anything
//	go run ./tools/words -measure   # print how functions are named, and how large they are, instead
//
// The file exceptions.txt lists the places that may use such a word, each with its reason. An exception that nothing needs
// is reported, too.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// roots are what is read.
var roots = []string{"cmd", "internal", "runtime", "tools", "examples", "bench", "docs", "README.md", "CONTRIBUTING.md", "Makefile"}

func main() {
	measureOnly := flag.Bool("measure", false, "print how functions are named and how large they are")
	flag.Parse()
	files, err := readFiles(roots)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if *measureOnly {
		fmt.Print(measure(files))
		return
	}
	text, err := os.ReadFile("tools/words/exceptions.txt")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	found, err := check(files, string(text))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, f := range files {
		found = append(found, checkDocComments(f)...)
	}
	if len(found) > 0 {
		fmt.Println(strings.Join(found, "\n"))
		fmt.Fprintf(os.Stderr, "%d words and comments to mend\n", len(found))
		os.Exit(1)
	}
}

// file is a file of the repository.
type file struct {
	path    string // slash-separated, from the root of the repository
	content []byte
}

// readFiles reads the files below some folders whose words people read, in the order of their paths.
func readFiles(roots []string) ([]file, error) {
	var files []file
	for _, root := range roots {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || name == filepath.Join("tools", "words") {
					return fs.SkipDir
				}
				return nil
			}
			if !slices.Contains([]string{".go", ".md", ".tmpl", "Makefile"}, extension(name)) {
				return nil
			}
			content, err := os.ReadFile(name)
			files = append(files, file{filepath.ToSlash(name), content})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// extension returns the extension of a file's name, or the name if it has none.
func extension(name string) string {
	if e := filepath.Ext(name); e != "" {
		return e
	}
	return filepath.Base(name)
}
