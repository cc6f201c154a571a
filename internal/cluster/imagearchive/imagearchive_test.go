package imagearchive

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestWriteIsReproducibleAndNamed(t *testing.T) {
	image := Program{Name: "example.com/pause:1", Path: "/pause", Data: []byte("program"), User: "65535:65535"}
	var first, second bytes.Buffer
	if err := image.Write(&first); err != nil {
		t.Fatal(err)
	}
	if err := image.Write(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("the same image gives another archive, %v", err)
	}
	if names, err := Names(&first); err != nil || !slices.Equal(names, []string{image.Name}) {
		t.Errorf("Names = %v, %v", names, err)
	}
}

func TestNames(t *testing.T) {
	archive := func(files ...string) string {
		var out bytes.Buffer
		var list []file
		for i := 0; i < len(files); i += 2 {
			list = append(list, file{files[i], []byte(files[i+1]), 0o644})
		}
		if err := writeFiles(&out, list...); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	layout := func(annotations string) string {
		return archive("oci-layout", "{}", "./index.json", `{"manifests":[{"annotations":{`+annotations+`}}]}`)
	}
	const ref = `"org.opencontainers.image.ref.name":`
	for _, test := range []struct {
		name, data string
		expected   []string
		err        string
	}{
		{"docker save", archive("manifest.json", `[{"RepoTags":["a:1","b:1"]}]`), []string{"a:1", "b:1"}, ""},
		{"OCI layout", layout(ref + `"127.0.0.1:5000/echo:v1"`), []string{"127.0.0.1:5000/echo:v1"}, ""},
		{"OCI layout of containerd", layout(`"io.containerd.image.name":"x.example/a:1",` + ref + `"1"`), []string{"x.example/a:1"}, ""},
		{"both", archive("index.json", `{"manifests":[{"annotations":{`+ref+`"x.example/a:1"}}]}`, "manifest.json", `[{"RepoTags":["x.example/a:1"]}]`), []string{"x.example/a:1"}, ""},
		{"a tag alone", layout(ref + `"v1"`), nil, "no image with a name"},
		{"without images", archive("file", "text"), nil, "no image with a name"},
		{"broken", archive("index.json", "{"), nil, "index.json: "},
		{"not an archive", strings.Repeat("text", 1000), nil, "not an archive of images"},
	} {
		t.Run(test.name, func(t *testing.T) {
			names, err := Names(strings.NewReader(test.data))
			if !slices.Equal(names, test.expected) || (err == nil) != (test.err == "") {
				t.Fatalf("got %v, %v", names, err)
			}
			if err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("got %v, expected %s", err, test.err)
			}
		})
	}
}
