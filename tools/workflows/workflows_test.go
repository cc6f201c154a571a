package workflows

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/projecttest"
)

// projectWith makes a project with the workflows of a system in a new folder.
func projectWith(t *testing.T, system string) (dir string) {
	t.Helper()
	found, err := project.FindTemplates(t.Context(), nil, []string{system})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"opgen.yaml": []byte(`apiVersion: opgen.dev/v1alpha1
kind: Project
name: shop
module: example.com/shop
templates: [templates]
`)}
	for _, f := range found.Files {
		files[f.Path] = f.Content
	}
	return projecttest.Make(t, files)
}

func TestWorkflowsOfGitHub(t *testing.T) {
	for _, dir := range []string{"../..", projectWith(t, "github")} {
		files, err := filepath.Glob(filepath.Join(dir, ".github", "workflows", "*.y*ml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no workflow: %v", dir, err)
		}
		linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found, err := linter.Lint(file, text, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range found {
				t.Errorf("%s:%d:%d: %s", filepath.Base(file), problem.Line, problem.Column, problem.Message)
			}
			checkPermissions(t, file, text)
		}
	}
}

// checkPermissions requires that a workflow may read and no more unless a job says otherwise, and that each job ends by
// itself, and keeps no credentials for later steps. A secret is in the environment of the step that needs it.
func checkPermissions(t *testing.T, file string, text []byte) {
	t.Helper()
	var workflow struct {
		Permissions map[string]string
		Env         map[string]string
		Jobs        map[string]struct {
			Timeout int `yaml:"timeout-minutes"`
			Env     map[string]string
			Steps   []struct {
				Uses string
				With map[string]any
			}
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	for name, access := range workflow.Permissions {
		if access != "read" {
			t.Errorf("%s: every job may %s %s", file, access, name)
		}
	}
	if workflow.Permissions == nil {
		t.Errorf("%s: names no permissions, and gets those of the repository", file)
	}
	for variable, value := range workflow.Env {
		if strings.Contains(value, "secrets.") {
			t.Errorf("%s: all jobs have the secret %s", file, variable)
		}
	}
	for name, job := range workflow.Jobs {
		if job.Timeout == 0 {
			t.Errorf("%s: the job %s has no limit", file, name)
		}
		for variable, value := range job.Env {
			if strings.Contains(value, "secrets.") {
				t.Errorf("%s: all steps of the job %s have the secret %s", file, name, variable)
			}
		}
		for _, step := range job.Steps {
			if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != false {
				t.Errorf("%s: the job %s leaves the credentials of git to all steps", file, name)
			}
		}
	}
}

// The pipeline of GitLab has the jobs of the workflow of GitHub, each with a stage that exists.
func TestPipelineOfGitLab(t *testing.T) {
	text, err := fs.ReadFile(os.DirFS(projectWith(t, "gitlab")), ".gitlab-ci.yml")
	if err != nil {
		t.Fatal(err)
	}
	var pipeline map[string]yaml.Node
	if err := yaml.Unmarshal(text, &pipeline); err != nil {
		t.Fatal(err)
	}
	var stages []string
	decode(t, pipeline["stages"], &stages)
	if image := regexp.MustCompile(`(?m)^  image: golang:\d+\.\d+$`); !image.Match(text) {
		t.Errorf("no image of Go:\n%s", text)
	}
	for _, name := range []string{"generated", "lint", "test", "e2e", "vulnerabilities", "image"} {
		var job struct {
			Extends, Stage string
			Script         []string
		}
		decode(t, pipeline[name], &job)
		if job.Extends != "" && job.Stage == "" {
			var base struct{ Stage string }
			decode(t, pipeline[job.Extends], &base)
			job.Stage = base.Stage
		}
		if len(job.Script) == 0 || !slices.Contains(stages, job.Stage) {
			t.Errorf("the job %s has the script %q and the stage %q of %q", name, job.Script, job.Stage, stages)
		}
	}
}

func decode(t *testing.T, node yaml.Node, into any) {
	t.Helper()
	if err := node.Decode(into); err != nil {
		t.Fatal(err)
	}
}
