package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// project is a project that a test has made from the author's files of an example.
type project struct {
	cluster
	name, dir string // its name in opgen.yaml, and its folder
	version   int    // of the operator's image
}

// newProject makes the project of an example in a fresh folder: opgen generates it, and the author's code is added.
func newProject(t *testing.T, example string) *project {
	t.Helper()
	c := connect(t)
	source := filepath.Join(c.checkout, "examples", example)
	text := read(t, filepath.Join(source, "opgen.yaml"))
	name := regexp.MustCompile(`(?m)^name: (\S+)`).FindStringSubmatch(text)[1]
	module := regexp.MustCompile(`(?m)^module: (\S+)`).FindStringSubmatch(text)[1]
	p := &project{cluster: c, name: name, dir: filepath.Join(t.TempDir(), name)}
	p.runIn(t, filepath.Dir(p.dir), c.opgen, "init", name, "--module", module, "--domain", "example.com")
	apis, err := filepath.Glob(filepath.Join(source, "api", "*.yaml"))
	if err != nil || len(apis) == 0 {
		t.Fatalf("%s has no API (error: %v)", example, err)
	}
	for _, api := range apis {
		p.run(t, c.opgen, "create", "api", "-f", api)
	}
	sources, err := filepath.Glob(filepath.Join(source, "internal", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sources {
		relative, err := filepath.Rel(source, file)
		if err != nil {
			t.Fatal(err)
		}
		if base := filepath.Base(file); !strings.HasPrefix(base, "zz_generated.") && !strings.HasSuffix(base, "_test.go") {
			write(t, filepath.Join(p.dir, relative), read(t, file))
		}
	}
	t.Cleanup(func() {
		if t.Failed() { // the next run finds none of it
			_ = p.command(p.dir, "make", "undeploy", "uninstall", "CONFIRM=yes").Run()
		}
	})
	return p
}

// onePlatform has the images of the project built for the platform of this machine alone.
func (p *project) onePlatform(t *testing.T) {
	t.Helper()
	path := filepath.Join(p.dir, "opgen.yaml")
	write(t, path, read(t, path)+fmt.Sprintf("image: {platforms: [linux/%s]}\n", runtime.GOARCH))
}

// edit replaces a text in a file of the project, which has to have it.
func (p *project) edit(t *testing.T, file, old, text string) {
	t.Helper()
	path := filepath.Join(p.dir, filepath.FromSlash(file))
	before := read(t, path)
	if !strings.Contains(before, old) {
		t.Fatalf("%s has no %q", file, old)
	}
	write(t, path, strings.ReplaceAll(before, old, text))
}

// pushApp builds the program that the Pods of the test run, with the image builder of the project, and returns its image.
func (p *project) pushApp(t *testing.T) string {
	t.Helper()
	write(t, filepath.Join(p.dir, "app", "main.go"), read(t, filepath.Join(p.checkout, "tools", "e2e", "app", "main.go")))
	reference := p.registry + "/" + p.name + "-app:v1"
	p.run(t, p.opgen, "image", "./app", "--tag", reference, "--platform", "linux/"+runtime.GOARCH, "--archive", "bin/app.tar", "--push")
	return reference
}

// deploy builds the operator's image, pushes it and deploys it, and waits until it runs.
func (p *project) deploy(t *testing.T, targets ...string) {
	t.Helper()
	p.version++
	p.make(t, append(append([]string{"docker-push"}, targets...), "deploy")...)
}

// make runs targets of the project's Makefile.
func (p *project) make(t *testing.T, targets ...string) string {
	t.Helper()
	image := fmt.Sprintf("%s/%s:v%d", p.registry, p.name, p.version)
	return p.run(t, "make", append(targets, "IMG="+image, "WAIT=5m")...)
}

// remove takes the operator and its CRDs out of the cluster, whatever state the test has left.
func (p *project) remove(t *testing.T) {
	t.Helper()
	p.make(t, "undeploy")
	p.make(t, "uninstall", "CONFIRM=yes")
}

func (p *project) run(t *testing.T, program string, arguments ...string) string {
	t.Helper()
	return p.runIn(t, p.dir, program, arguments...)
}

// runIn runs a program in a folder and returns what it prints.
func (p *project) runIn(t *testing.T, dir, program string, arguments ...string) string {
	t.Helper()
	var output bytes.Buffer
	command := p.command(dir, program, arguments...)
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(program), strings.Join(arguments, " "), err, output.String())
	}
	t.Logf("%s %s", filepath.Base(program), strings.Join(arguments, " "))
	return output.String()
}

func (p *project) command(dir, program string, arguments ...string) *exec.Cmd {
	command := exec.Command(program, arguments...)
	command.Dir, command.Env = dir, append(os.Environ(), "KUBECONFIG="+p.kubeconfig)
	return command
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
