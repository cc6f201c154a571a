package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// manyKinds is how many kinds the project has.
const manyKinds = 50

// kinds compares generating a project of many imported kinds: opgen from the specs, all of them again, after a change
// of one and after none, and controller-gen from the Go types that opgen has generated for them.
func (b *bench) kinds(ctx context.Context) error {
	files, what, err := b.crdFiles()
	if err != nil {
		return err
	}
	dir := filepath.Join(b.temp, "kinds")
	picked, err := b.manyKindsProject(ctx, dir, files)
	if err != nil {
		return err
	}
	title := fmt.Sprintf("generate a project with %d of the kinds in %s", picked, what)
	opgen, controllerGen := b.generators(dir)
	changed, err := b.oneChanged(dir)
	if err != nil {
		return err
	}
	rows, err := b.timeInTurn(ctx, b.runs, opgen, controllerGen("./api/..."), changed, b.unchanged(dir), b.idle())
	if err != nil {
		return err
	}
	b.table.add(title, rows,
		share("all again, of controller-gen, wall", rows[0].wall(), rows[1].wall(), 1),
		fact{text: "of its memory", value: fmt.Sprintf("1/%.1f", float64(rows[1].memory())/float64(rows[0].memory()))},
		share("after a change of one kind, of controller-gen, wall", rows[2].wall(), rows[1].wall(), 20),
		share("the same, processor", rows[2].cpu(), rows[1].cpu(), 20),
		factor("with nothing changed, of opgen version", int64(rows[3].wall()), int64(rows[4].wall()), 3),
	)
	return nil
}

// manyKindsProject makes a project of CRDs that are spread evenly over the files, leaving out what does not go with
// the others, such as the same kind or short name, and what controller-gen has no markers for.
func (b *bench) manyKindsProject(ctx context.Context, dir string, files []string) (picked int, err error) {
	start := contender{name: "opgen init", dir: b.peers.checkout, args: []string{b.peers.opgen, "init", dir, "--module", "example.com/kinds"}}
	if _, err := start.run(ctx); err != nil {
		return 0, err
	}
	project := filepath.Join(dir, "opgen.yaml")
	text, err := os.ReadFile(project)
	if err != nil {
		return 0, err
	}
	text = append(text, "multigroup: true\n"...)
	if err := os.WriteFile(project, text, 0o644); err != nil {
		return 0, err
	}
	api, rest := filepath.Join(dir, "api"), spread(files)
	opgen, controllerGen := b.generators(dir)
	for {
		for len(specsIn(api)) < manyKinds && len(rest) > 0 {
			file := rest[0]
			rest = rest[1:]
			data, err := os.ReadFile(file)
			if err != nil {
				return 0, err
			}
			if bytes.Contains(data, []byte("served: false")) {
				continue // controller-gen makes no CRD that serves no version
			}
			add := contender{name: "opgen import", dir: dir, args: []string{b.peers.opgen, "import", file, "--dir", api}}
			if _, err := add.run(ctx); err != nil && ctx.Err() != nil {
				return 0, err
			}
		}
		b.progress.Say("%d kinds", len(specsIn(api)))
		_, err := opgen.run(ctx)
		if err == nil {
			_, err = controllerGen("./api/...").run(ctx)
		}
		if err == nil {
			return len(specsIn(api)), nil
		}
		if !removeNamed(dir, err.Error()) {
			return 0, err
		}
	}
}

func specsIn(dir string) []string {
	specs, _ := filepath.Glob(filepath.Join(dir, "*.yaml")) // whose pattern is right
	return specs
}

// What problems are in: spec files for opgen, the Go types of a group for controller-gen.
var (
	namedSpec  = regexp.MustCompile(`(?m)^api/[^:\s]+\.yaml`)
	namedGroup = regexp.MustCompile(`/api/([^/\s]+)/v[^/\s]+/zz_generated`)
)

// removeNamed removes the spec files that a message has problems of. It reports false when there are none.
func removeNamed(dir, message string) bool {
	specs := namedSpec.FindAllString(message, -1)
	for _, group := range namedGroup.FindAllStringSubmatch(message, -1) {
		ofGroup, _ := filepath.Glob(filepath.Join(dir, "api", "*."+group[1]+".yaml")) // a group has no brackets
		for _, spec := range ofGroup {
			specs = append(specs, filepath.Join("api", filepath.Base(spec)))
		}
	}
	removed := false
	for _, spec := range specs {
		removed = os.Remove(filepath.Join(dir, spec)) == nil || removed
	}
	return removed
}

// spread returns the files in an order whose beginning is spread over all of them: every seventh, then the others.
func spread(files []string) []string {
	const step = 7
	var all []string
	for first := range step {
		for i := first; i < len(files); i += step {
			all = append(all, files[i])
		}
	}
	return all
}
