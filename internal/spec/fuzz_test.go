package spec

import (
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzParseAPI checks that no input makes the parser panic, that what is refused says why, at a line of the file,
// and that what is accepted means the same a second time.
func FuzzParseAPI(f *testing.F) {
	f.Add([]byte(echoServer))
	paths, err := filepath.Glob("testdata/problems/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = ParseProject("opgen.yaml", data)
		api, problems := ParseAPI("a.yaml", data)
		if api == nil {
			if len(problems) == 0 {
				t.Fatal("refused without a problem")
			}
			for _, p := range problems {
				if p.Message == "" || p.Pos.File != "a.yaml" || p.Pos.Line > 0 && p.Pos.Column < 1 {
					t.Errorf("%#v", p)
				}
			}
			return
		}
		if len(problems) > 0 {
			t.Fatalf("accepted with problems: %v", problems)
		}
		_ = Check(nil, []*API{api})
		again, _ := ParseAPI("a.yaml", data)
		if !reflect.DeepEqual(api, again) {
			t.Error("parsed differently a second time")
		}
	})
}
