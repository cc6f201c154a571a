package kubebuilder

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
)

// layout is where opgen reads the Go types of a project: in api/<version>, or in api/<group>/<version>.
type layout struct {
	domain     string
	multigroup bool
}

// dir returns the folder in which opgen reads the type of a kind.
func (l layout) dir(k declared) string {
	return gomodel.PackageDir(&spec.Project{Domain: l.domain, Multigroup: l.multigroup}, k.group, k.version)
}

// layoutOf returns the layout in which most kinds are where opgen reads them. PROJECT may say another one: many projects
// have folders of groups without multigroup, which concerns only what kubebuilder makes next.
func (p *Project) layoutOf(kinds []declared) layout {
	groups := map[string]bool{}
	domains := []string{p.Domain}
	for _, k := range kinds {
		groups[k.group] = true
		if rest, ok := strings.CutPrefix(k.group, path.Base(path.Dir(k.dir))+"."); ok {
			domains = append(domains, rest)
		}
	}
	best, most := layout{p.Domain, p.Multigroup || len(groups) > 1}, -1
	for _, multigroup := range []bool{p.Multigroup, !p.Multigroup} {
		for _, domain := range domains {
			l := layout{domain, multigroup}
			if n := l.matches(kinds); n > most && (multigroup || len(groups) <= 1 && domain == p.Domain) {
				best, most = l, n
			}
		}
	}
	return best
}

// matches counts how well the folders of kinds match a layout. One whose first element alone is another, such as apis,
// counts less.
func (l layout) matches(kinds []declared) int {
	n := 0
	for _, k := range kinds {
		_, below, _ := strings.Cut(k.dir, "/")
		_, wanted, _ := strings.Cut(l.dir(k), "/")
		switch {
		case k.dir == l.dir(k):
			n += 2
		case below == wanted:
			n++
		}
	}
	return n
}

// move is a folder that has to be elsewhere before opgen can read its types.
type move struct {
	from, to string
	kinds    []declared
}

// moves returns the folders of kinds that are not where opgen reads them.
func (l layout) moves(kinds []declared) (moves []move) {
	for _, k := range kinds {
		if k.dir == l.dir(k) {
			continue
		}
		i := slices.IndexFunc(moves, func(m move) bool { return m.from == k.dir })
		if i < 0 {
			i, moves = len(moves), append(moves, move{from: k.dir, to: l.dir(k)})
		}
		moves[i].kinds = append(moves[i].kinds, k)
	}
	return moves
}

// problem returns what to do before the types in a folder can be read. folders are those of all kinds, and repo is
// the import path of the project.
func (m move) problem(tree fs.FS, repo string, moves []move, folders []string) spec.Problem {
	first := m.kinds[0]
	var names []string
	for _, k := range m.kinds {
		names = append(names, k.kind)
	}
	found := spec.Problem{Pos: first.pos, Message: fmt.Sprintf("the types of %s/%s are in %s (%s), and opgen reads them in %s",
		first.group, first.version, m.from, strings.Join(names, ", "), m.to)}
	isShared := slices.ContainsFunc(moves, func(o move) bool { return o.to == m.to && o.from != m.from })
	if isShared || slices.Contains(folders, m.to) {
		found.Hint = "a group and a version have one package: move the files of " + m.from + " into " + m.to + ", and change their import path"
		return found
	}
	from, to := m.from, m.to
	module, modulePath := moduleOf(tree, m.from)
	if modulePath == "" {
		modulePath = repo // the module is above the folder of the project
	}
	if module != "." && path.Join("api", strings.TrimPrefix(m.from, module)) == m.to {
		from, to = module, "api" // the module moves as a whole
	}
	oldImport := path.Join(modulePath, strings.TrimPrefix(strings.TrimPrefix(from, module), "/"))
	newImport := path.Join(strings.TrimSuffix(oldImport, "/"+from), to)
	found.Hint = "move the package, and change its import path:\n    git mv " + from + " " + to +
		" && git grep -lF " + oldImport + " | xargs perl -pi -e 's#\\Q" + oldImport + "\\E\\b#" + newImport + "#g'"
	if parent := path.Dir(to); parent != "." {
		if _, err := fs.Stat(tree, parent); err != nil {
			found.Hint = strings.Replace(found.Hint, "git mv", "mkdir -p "+parent+" && git mv", 1)
		}
	}
	return found
}

// renames returns what to do about packages that have another name than their version, which generated files have.
func renames(kinds []declared) (problems spec.Problems) {
	seen := map[string]bool{}
	for _, k := range kinds {
		if k.pkg == k.version || seen[k.dir] {
			continue
		}
		seen[k.dir] = true
		problems = append(problems, spec.Problem{
			Pos: k.pos, Message: "the package in " + k.dir + " is called " + k.pkg + ", and opgen's files for " + k.group + "/" + k.version + " are of package " + k.version,
			Hint: "rename it: perl -pi -e 's/^package " + k.pkg + "\\b/package " + k.version + "/' " + k.dir + "/*.go",
		})
	}
	return problems
}

// moduleOf returns the folder and the path of the Go module that a folder of the project is in. The folder is . if that
// is the project or above it.
func moduleOf(tree fs.FS, dir string) (folder, modulePath string) {
	for folder = dir; ; folder = path.Dir(folder) {
		if data, err := fs.ReadFile(tree, path.Join(folder, "go.mod")); err == nil {
			return folder, modfile.ModulePath(data)
		}
		if folder == "." {
			return folder, ""
		}
	}
}
