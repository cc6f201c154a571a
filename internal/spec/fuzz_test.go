package spec

import (
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzParseAPI checks that no input makes the parser panic, that what is refused says why, at a
// line of the file, and that what is accepted means the same a second time.
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
		fuzzController(t, data)
		api, problems := ParseAPI("a.yaml", data)
		if api == nil {
			refused(t, problems)
			return
		}
		if len(problems) > 0 {
			t.Fatalf("accepted with problems: %v", problems)
		}
		_ = Check(nil, []*Summary{api.Summary()}, nil)
		again, _ := ParseAPI("a.yaml", data)
		if !reflect.DeepEqual(api, again) {
			t.Error("parsed differently a second time")
		}
	})
}

func fuzzController(t *testing.T, data []byte) {
	controller, problems := ParseController("a.yaml", data)
	if controller == nil {
		refused(t, problems)
		return
	}
	if len(problems) > 0 {
		t.Fatalf("accepted with problems: %v", problems)
	}
	_ = Check(&Project{Domain: "example.com"}, nil, []*Controller{controller})
	again, _ := ParseController("a.yaml", data)
	if !reflect.DeepEqual(controller, again) {
		t.Error("parsed differently a second time")
	}
}

// refused checks that the problems of input that is refused say why, at a line of the file.
func refused(t *testing.T, problems Problems) {
	if len(problems) == 0 {
		t.Fatal("refused without a problem")
	}
	for _, p := range problems {
		if p.Message == "" || p.Pos.File != "a.yaml" || p.Pos.Line > 0 && p.Pos.Column < 1 {
			t.Errorf("%#v", p)
		}
	}
}
