package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/kubebuilder"
)

// project is a copy of a checkout.
type project struct {
	from, dir string
	opgen     string // the program
	onlyCRDs  bool   // leave out what compiles all that the project imports
	showStep  func(step string)
}

// row is what came out of a project.
type row struct {
	name, commit string
	refused      string // what init says if it stops
	warnings     int    // that init prints
	built        bool   // it was built, vetted and checked
	failures     []string
	code         []string // CRDs that controller-gen makes of the code
	taken        []string // CRDs that opgen makes
	silent       []string // in code, not in taken, and not named by init
	named        []string // in code, not in taken, and named by init
	before, now  comparison
}

// isGood reports whether a project has lost nothing: it is refused, and nothing is written, or all is equal.
func (r row) isGood() bool {
	return r.refused != "" || len(r.failures)+len(r.silent)+len(r.before.differ)+len(r.now.differ) == 0
}

// measure takes the project through all steps.
func (p *project) measure(ctx context.Context) (row, error) {
	r := row{name: filepath.Base(p.from), commit: p.commit(ctx)}
	p.showStep("copying")
	if err := os.CopyFS(p.dir, checkout{os.DirFS(p.from)}); err != nil {
		return r, err
	}
	p.showStep("opgen init")
	said, isTaken := p.takeOver(ctx)
	if !isTaken {
		r.refused = said
		return r, nil
	}
	r.warnings = strings.Count("\n"+said, "\nwarning: ")
	if r.built = !p.onlyCRDs; r.built {
		r.failures = p.buildAll(ctx)
	}
	return r, p.measureCRDs(ctx, &r, said)
}

// takeOver runs opgen init, and returns what it says and whether it takes the project.
func (p *project) takeOver(ctx context.Context) (said string, isTaken bool) {
	said, err := p.run(ctx, p.opgen, "init", ".", "--from-kubebuilder")
	return said, err == nil
}

// buildAll builds, vets and checks the project, and returns what fails.
func (p *project) buildAll(ctx context.Context) (failures []string) {
	for _, step := range [][]string{{"go", "build", "./..."}, {"go", "vet", ".", "./api/..."}, {p.opgen, "check"}} {
		p.showStep(filepath.Base(step[0]) + " " + step[1])
		if output, err := p.run(ctx, step...); err != nil {
			failures = append(failures, filepath.Base(step[0])+" "+step[1]+": "+firstLines(output, 3))
		}
	}
	return failures
}

// measureCRDs compares the CRDs of opgen with those that the project had, and with controller-gen's.
func (p *project) measureCRDs(ctx context.Context, r *row, said string) error {
	var err error
	if r.taken, err = crdNames(filepath.Join(p.dir, "deploy")); err != nil {
		return err
	}
	p.showStep("controller-gen")
	made := p.dir + ".crds"
	if err := p.generate(made); err != nil {
		r.failures = append(r.failures, "controller-gen: "+firstLines(err.Error(), 3))
	}
	if r.code, err = crdNames(made); err != nil {
		return err
	}
	for _, name := range r.code {
		kind := strings.ToLower(name[:strings.IndexByte(name, '.')])
		switch {
		case slices.Contains(r.taken, name):
		case strings.Contains(strings.ToLower(said), kind) && strings.Contains(said, "left out"):
			r.named = append(r.named, name)
		default:
			r.silent = append(r.silent, name)
		}
	}
	p.showStep("opgen diff")
	now, err := p.diff(ctx, made)
	before, beforeErr := p.diff(ctx, filepath.Join(p.dir, "config", "crd", "bases"))
	if err := errors.Join(err, beforeErr); err != nil {
		r.failures = append(r.failures, err.Error())
		return nil
	}
	limits := now.limits()
	r.now, r.before = now.comparison(limits, nil), before.comparison(limits, r.code)
	return nil
}

// comparison is how CRDs compare with those of a folder.
type comparison struct {
	equal   int
	tighter []string // equal but for limits that Go types have anyway
	newer   []string // equal but for those and for what newer libraries have
	differ  []string // with the first difference
	foreign []string // only in the folder, and of no type in the code
}

// diff compares the CRDs of the project with those of a folder. Of a folder without CRDs, nothing is compared.
func (p *project) diff(ctx context.Context, dir string) (report diffReport, err error) {
	names, err := crdNames(dir)
	if err != nil || len(names) == 0 {
		return report, err
	}
	cmd := p.command(ctx, p.opgen, "diff", "--crd", dir, "-o", "json")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 { // 1: there are differences
		return report, errors.Join(errors.New("opgen diff: "+firstLines(stderr.String()+string(output), 5)), err)
	}
	return report, json.Unmarshal(output, &report)
}

// diffReport is what opgen diff --crd prints for programs.
type diffReport struct {
	CRDs []struct {
		Name        string
		Differences []difference
	}
	OnlyThere []string
}

type difference struct{ Path, Cause, Module, Here, There string }

// limits returns the differences from controller-gen's CRDs of the same types in keywords that limit what a Go type reads:
// opgen adds these limits on purpose (decision 0066), and puts two patterns into allOf. The keys are those of CRDs and
// differences.
func (d diffReport) limits() map[string]bool {
	limits := map[string]bool{}
	for _, crd := range d.CRDs {
		for _, difference := range crd.Differences {
			at := strings.LastIndexByte(difference.Path, '.') + 1
			place, keyword := crd.Name+" "+difference.Path[:at], difference.Path[at:]
			isLimit := slices.Contains([]string{"pattern", "minimum", "maximum", "format"}, keyword)
			switch {
			case difference.Here != "" && isLimit:
				limits[place+keyword] = true
			case keyword == "allOf" && difference.There == "" && strings.Contains(difference.Here, `"pattern"`):
				limits[place+"allOf"], limits[place+"pattern"] = true, true
			}
		}
	}
	return limits
}

// comparison sorts the CRDs of a report. What only the folder has, and code names, is a difference.
func (d diffReport) comparison(limits map[string]bool, code []string) (c comparison) {
	for _, crd := range d.CRDs {
		first, newer := "", false
		for _, difference := range crd.Differences {
			switch {
			case limits[crd.Name+" "+difference.Path]:
			case difference.Cause == "types" || difference.Module != "":
				newer = true
			case first == "":
				first = difference.Path + ": " + difference.Here + " here, " + difference.There + " there"
			}
		}
		switch {
		case first != "":
			c.differ = append(c.differ, crd.Name+" "+first)
		case newer:
			c.newer = append(c.newer, crd.Name)
		case len(crd.Differences) > 0:
			c.tighter = append(c.tighter, crd.Name)
		default:
			c.equal++
		}
	}
	for _, name := range d.OnlyThere {
		if slices.ContainsFunc(code, func(n string) bool { return strings.Contains(name, n) }) {
			c.differ = append(c.differ, name+" is only there")
		} else {
			c.foreign = append(c.foreign, name)
		}
	}
	return c
}

// command returns a command in the folder of the project that reads no go.work and no vendor folder.
func (p *project) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = p.dir, p.environ()
	return cmd
}

func (p *project) environ() []string {
	return append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
}

// run runs a command, and returns all that it prints.
func (p *project) run(ctx context.Context, args ...string) (string, error) {
	output, err := p.command(ctx, args...).CombinedOutput()
	return string(output), err
}

// commit returns the commit of the checkout, and "" if it is none.
func (p *project) commit(ctx context.Context) string {
	output, err := exec.CommandContext(ctx, "git", "-C", p.from, "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(output))
}

// settings returns the options of controller-gen in the project's Makefile.
func (p *project) settings() kubebuilder.Settings {
	makefile, err := os.ReadFile(filepath.Join(p.dir, "Makefile"))
	if err != nil {
		return kubebuilder.ReadSettings(nil) // the project has none
	}
	return kubebuilder.ReadSettings(makefile)
}

// crdNames returns the names of the CRDs in a folder, sorted; none if it is not there.
func crdNames(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, document := range strings.Split("\n"+string(data), "\n---\n") {
			var object struct {
				Kind     string
				Metadata struct{ Name string }
			}
			if yaml.Unmarshal([]byte(document), &object) == nil && object.Kind == "CustomResourceDefinition" {
				names = append(names, object.Metadata.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// firstLines returns the first lines of a text that say more than what go downloads.
func firstLines(text string, most int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "go: downloading") && len(lines) < most {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " | ")
}

// checkout is a folder without what git keeps, and without links, which may lead out of it.
type checkout struct{ fs.FS }

// ReadDir returns the files of a folder that are copied.
func (c checkout) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(c.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".git" || e.Type()&fs.ModeSymlink != 0 }), err
}
