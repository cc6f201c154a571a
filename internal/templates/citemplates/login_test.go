package citemplates

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"github.com/google/go-containerregistry/pkg/name"
	"sigs.k8s.io/yaml"
)

// pushScript returns the script of the step of the GitHub workflow that logs in to a registry.
func pushScript(t *testing.T) string {
	t.Helper()
	text, err := fs.ReadFile(files, "github/.github/workflows/ci.yaml.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	parsed := template.Must(template.New("").Funcs(sprig.TxtFuncMap()).Parse(string(text)))
	var workflow strings.Builder
	values := map[string]any{"Project": map[string]any{"Name": "op", "GoVersion": "1.26.0"}}
	if err := parsed.Execute(&workflow, values); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Jobs map[string]struct{ Steps []struct{ Run string } }
	}
	if err := yaml.Unmarshal([]byte(workflow.String()), &read); err != nil {
		t.Fatal(err)
	}
	for _, step := range read.Jobs["image"].Steps {
		if strings.Contains(step.Run, "docker login") {
			return step.Run
		}
	}
	t.Fatal("no step logs in")
	return ""
}

// The password goes to the registry that the image is pushed to, and to no other.
func TestLoginAtTheRegistryOfTheImage(t *testing.T) {
	script, bin := pushScript(t), t.TempDir()
	for program, text := range map[string]string{"docker": "echo \"$@\"; cat", "make": ":"} {
		if err := os.WriteFile(filepath.Join(bin, program), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for repository, host := range map[string]string{
		"acme/op": "", "acme/team/op": "", "op": "", "op.example": "", "library/op": "", "acme/te.am/op": "",
		"registry.example.com/op": "registry.example.com", "registry.example.com:5000/a/b/op": "registry.example.com:5000",
		"localhost/op": "localhost", "registry:5000/op": "registry:5000", "docker.io/acme/op": "docker.io",
	} {
		pushed, err := name.NewRepository(repository)
		if err != nil || host != "" && !strings.HasSuffix(pushed.RegistryStr(), host) || host == "" && pushed.RegistryStr() != name.DefaultRegistry {
			t.Errorf("%s is pushed to %s: %v", repository, pushed.RegistryStr(), err)
		}
		cmd := exec.Command("bash", "-e", "-c", script)
		cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "IMAGE_REPOSITORY=" + repository, "REGISTRY_USER=ada", "REGISTRY_PASSWORD=secret", "GITHUB_REF_NAME=v1"}
		out, err := cmd.CombinedOutput()
		expected := strings.TrimSpace("login "+host) + " --username ada --password-stdin\nsecret\n"
		if err != nil || string(out) != expected {
			t.Errorf("%s: %v, docker was given %q, expected %q", repository, err, out, expected)
		}
	}
}
