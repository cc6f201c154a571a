package workflows

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// What opgen's own workflows run has no name that somebody else can move: a commit for actions, a digest for the base of the
// image. Dependabot raises both. Generated workflows name major versions: decision 0051.
func TestActionsAreNamedByCommitsInOpgenAndByVersionsInProjects(t *testing.T) {
	for dir, form := range map[string]string{
		"../..":                  `^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`,
		projectWith(t, "github"): `^[\w./-]+@v\d+$`,
	} {
		files, err := filepath.Glob(filepath.Join(dir, ".github", "workflows", "*.y*ml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no workflow: %v", dir, err)
		}
		for _, file := range files {
			for _, uses := range regexp.MustCompile(`(?m)^\s*-? *uses: *(.*)$`).FindAllStringSubmatch(read(t, file), -1) {
				if !regexp.MustCompile(form).MatchString(uses[1]) {
					t.Errorf("%s uses %s, which has not the form %s", file, uses[1], form)
				}
			}
		}
	}
	base := regexp.MustCompile(`(?m)^FROM (golang:[\d.]+@sha256:[0-9a-f]{64})$`).FindStringSubmatch(read(t, "../../.github/image/Dockerfile"))
	if base == nil || !strings.Contains(read(t, "../../.goreleaser.yaml"), "\n    base_image: "+base[1]+" # as in .github/image/Dockerfile\n") {
		t.Errorf(".goreleaser.yaml has not the base image of .github/image/Dockerfile: %q", base)
	}
}

// A tag makes a draft, and nothing that others can see: the image, its tag latest, and the cask follow when a person has
// published the draft.
func TestNothingIsPublicBeforeTheDraftIsPublished(t *testing.T) {
	type workflow struct {
		On   map[string]map[string][]string
		Jobs map[string]struct{ Permissions map[string]string }
	}
	var draft, public workflow
	text := read(t, "../../.github/workflows/release.yml")
	decodeText(t, text, &draft)
	for name, access := range draft.Jobs["release"].Permissions {
		if !slices.Contains([]string{"contents: write", "id-token: write", "attestations: write"}, name+": "+access) {
			t.Errorf("the job for a tag may %s %s", access, name)
		}
	}
	for _, secret := range regexp.MustCompile(`secrets\.(\w+)`).FindAllStringSubmatch(text, -1) {
		if secret[1] != "GITHUB_TOKEN" {
			t.Errorf("the job for a tag has the secret %s", secret[1])
		}
	}
	decodeText(t, read(t, "../../.github/workflows/publish.yml"), &public)
	if types := public.On["release"]["types"]; len(public.On) != 1 || !slices.Equal(types, []string{"published"}) {
		t.Errorf("publish.yml runs on %v", public.On)
	}

	var config struct {
		Casks []struct {
			SkipUpload string `yaml:"skip_upload"`
			Repository map[string]string
		} `yaml:"homebrew_casks"`
		Release struct{ Draft bool }
	}
	decodeText(t, read(t, "../../.goreleaser.yaml"), &config)
	if !config.Release.Draft || len(config.Casks) != 1 || config.Casks[0].SkipUpload != "true" || config.Casks[0].Repository["token"] != "" {
		t.Errorf("goreleaser publishes: %+v", config)
	}
	makefile := read(t, "../../Makefile")
	if !regexp.MustCompile(`(?m)^release:.*\n\tSTEP=draft .* --skip=ko$`).MatchString(makefile) {
		t.Error("make release is not the draft without the image")
	}
	if recipe := regexp.MustCompile(`(?m)^publish:.*\n(\t.*)$`).FindStringSubmatch(makefile); recipe == nil || !strings.Contains(recipe[1], "STEP=publish ") {
		t.Errorf("make publish does not take the second step: %q", recipe)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func decodeText(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}
