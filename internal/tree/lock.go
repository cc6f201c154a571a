package tree

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// LockPath is the path of the lock in a project.
const LockPath = "opgen.lock"

const lockHeader = `# What opgen generated: the files with their checksums, of which opgen replaces and removes no other, and the APIs and
# controllers with the kinds of their children, so that none is renamed or dropped with its objects left behind.
`

// Lock lists the Generated files of a project, and what they were generated for.
type Lock struct {
	Version     string                      `json:"opgen,omitempty"`       // of the opgen that generated them
	APIs        map[string]LockedAPI        `json:"apis,omitempty"`        // by Kind.group
	Controllers map[string]LockedController `json:"controllers,omitempty"` // by name
	Children    map[string][]string         `json:"children,omitempty"`    // Kind.group of an API, or controllers/name → Kind.group of its children
	Namespaces  ChildNamespaces             `json:"namespaces,omitempty"`  // as in Children → Kind.group of its children → namespaces other than the parent's
	Files       map[string]string           `json:"files,omitempty"`       // path → checksum
	Templated   map[string]LockedFile       `json:"templated,omitempty"`   // path → a file made from an author's template
	Packages    map[string]LockedPackage    `json:"packages,omitempty"`    // helm, manifests or olm → its files
	// Pending are the files that an Apply replaces or removes, as they were before it. A lock has
	// them until all is done, and lists the files as they are afterwards, too.
	Pending map[string]LockedFile `json:"pending,omitempty"`
}

// LockedAPI is an API in opgen.lock: its names in clusters, and where its author's code is.
type LockedAPI struct {
	File    string `json:"file,omitempty"` // of the spec; empty in old locks
	Plural  string `json:"plural"`
	Scope   string `json:"scope"`
	Storage string `json:"storage"` // version
	// Stored are the versions that objects may be stored in beside that of storage: former storage versions that the API
	// still has. Served are those that are served; old locks have none.
	Stored   []string `json:"stored,omitempty"`
	Served   []string `json:"served,omitempty"`
	Operator string   `json:"operator,omitempty"` // folder of its operator
}

// CRDName returns the name of the CustomResourceDefinition of an API with a name in the lock.
func (l LockedAPI) CRDName(name string) string {
	return l.Plural + "." + schema.ParseGroupKind(name).Group
}

// LockedController is a controller for existing kinds in opgen.lock.
type LockedController struct {
	File     string `json:"file"`
	Operator string `json:"operator"` // its folder
}

// ChildNamespaces are the namespaces of children other than those of their parents, by owner and
// kind of children. spec.AllNamespaces alone means every namespace.
type ChildNamespaces map[string]map[string][]string

// LockedPackage is a package of the operator in opgen.lock, with what its command was told.
type LockedPackage struct {
	Dir      string            `json:"dir,omitempty"` // of the kustomization, from that of the project; empty: deploy
	Version  string            `json:"version,omitempty"`
	Image    string            `json:"image,omitempty"`
	Channel  string            `json:"channel,omitempty"`
	Replaces string            `json:"replaces,omitempty"`
	Files    map[string]string `json:"files"` // path → checksum
}

// LockedFile is a file with the author's template that it is made from.
type LockedFile struct {
	Template string `json:"template,omitempty"` // empty if opgen makes the file
	Checksum string `json:"checksum"`
}

// checksums returns the checksums that a file of opgen can have: none if the lock does not list it,
// and two while an Apply replaces it.
func (l Lock) checksums(file string) []string {
	listed := []string{l.Files[file], l.Templated[file].Checksum, l.packagedChecksum(file), l.Pending[file].Checksum}
	return slices.DeleteFunc(listed, func(checksum string) bool { return checksum == "" })
}

// packagedChecksum returns the checksum of a file of a package, and "" if no package has it.
func (l Lock) packagedChecksum(file string) string {
	for _, p := range l.Packages {
		if sum := p.Files[file]; sum != "" {
			return sum
		}
	}
	return ""
}

// isPackaged reports whether a package has a file.
func (l Lock) isPackaged(file string) bool { return l.packagedChecksum(file) != "" }

// pendingOf returns the pending files that a command leaves for the next run of another one.
func (l Lock) pendingOf(leaves func(file string) bool) map[string]LockedFile {
	pending := maps.Clone(l.Pending)
	maps.DeleteFunc(pending, func(file string, _ LockedFile) bool { return !leaves(file) })
	return pending
}

// templateOf returns the template of a file, and "" if the lock lists none.
func (l Lock) templateOf(file string) string {
	return cmp.Or(l.Templated[file].Template, l.Pending[file].Template)
}

// addFile lists a file of the project.
func (l Lock) addFile(f File) {
	sum := f.Checksum
	if sum == "" {
		sum = ContentChecksum(f.Content)
	}
	switch {
	case f.Owner != Generated:
	case f.Template != "":
		l.Templated[f.Path] = LockedFile{Template: f.Template, Checksum: sum}
	default:
		l.Files[f.Path] = sum
	}
}

// ListedPaths returns the paths of the listed files, sorted.
func (l Lock) ListedPaths() []string {
	paths := slices.Concat(slices.Collect(maps.Keys(l.Files)), slices.Collect(maps.Keys(l.Templated)), slices.Collect(maps.Keys(l.Pending)))
	slices.Sort(paths)
	return slices.Compact(paths)
}

// ReadLock returns the lock of a tree, an empty one if there is none.
func ReadLock(tree fs.FS) (Lock, error) {
	data, err := ReadRegularFile(tree, LockPath)
	if data == nil || err != nil {
		return Lock{}, err
	}
	var lock Lock
	if err := yaml.UnmarshalStrict(data, &lock); err != nil {
		return Lock{}, LockProblem("cannot be read as YAML with the keys opgen, apis, controllers, children, namespaces, files, templated, packages and pending")
	}
	return lock, lock.checkPaths()
}

// checkPaths returns an error if the lock lists a file that opgen cannot have made.
func (l Lock) checkPaths() error {
	for _, path := range l.ListedPaths() {
		pending, isPending := l.Pending[path]
		_, isTemplated := l.Templated[path]
		byOpgen := l.Files[path] != "" || isPending && pending.Template == ""
		switch {
		case byOpgen && (!fs.ValidPath(path) || !IsGeneratedName(path)):
			return LockProblem(fmt.Sprintf("lists %q, which opgen does not generate", path))
		case (isTemplated || pending.Template != "") && (!fs.ValidPath(path) || strings.Contains(path, `\`) || ReservedPath(path) != ""):
			return LockProblem(fmt.Sprintf("lists %q, which no template makes", path))
		}
	}
	for form, packaged := range l.Packages {
		if packaged.Dir != "" && !fs.ValidPath(packaged.Dir) {
			return LockProblem(fmt.Sprintf("has the kustomization %q of the package %s, which is not in the project", packaged.Dir, form))
		}
		for path := range packaged.Files {
			if !isPackageFile(path) {
				return LockProblem(fmt.Sprintf("lists %q as a file of the package %s, which has files below %s alone", path, form, packagesFolder))
			}
		}
	}
	return nil
}

// CheckLockVersion returns an error if a later release of opgen than the given version wrote the
// lock. The older release would silently remove what the newer one generates. A build of a checkout
// has no version to compare, and counts as older than every release.
func CheckLockVersion(tree fs.FS, version string) error {
	data, err := ReadRegularFile(tree, LockPath)
	if data == nil || err != nil {
		return err
	}
	var lock struct {
		Version string `json:"opgen"`
	}
	readable := yaml.Unmarshal(data, &lock) == nil // if not, ReadLock returns the error
	wrote, runs := canonicalVersion(lock.Version), canonicalVersion(version)
	if !readable || wrote == "" || runs != "" && semver.Compare(wrote, runs) <= 0 {
		return nil
	}
	this, way := "the older "+version, "back"
	if runs == "" {
		this, way = "one of a checkout ("+version+"), which may be older", "on with this one"
	}
	return spec.Problems{{
		Pos:     spec.Pos{File: LockPath},
		Path:    "opgen",
		Message: "the project was generated by opgen " + lock.Version + ", and this is " + this,
		Hint:    "run the one that the project names: go tool -modfile=tools.mod opgen; to go " + way + " for good, write opgen: " + version + " here",
	}}.Err()
}

// canonicalVersion returns a version in the form that semver compares, with or without its v. It
// returns "" for what is not a release.
func canonicalVersion(version string) string {
	if c := semver.Canonical(version); c != "" {
		return c
	}
	return semver.Canonical("v" + version)
}

// LockProblem returns an error about the lock of a project.
func LockProblem(message string) error {
	return spec.Problems{{
		Pos:     spec.Pos{File: LockPath},
		Message: message,
		Hint:    "restore it from version control, or delete it and generate with --force",
	}}.Err()
}

// marshal renders the lock in a fixed order of its parts, each sorted. It writes the APIs even if
// there are none, because an older opgen did not list any.
func (l Lock) marshal() ([]byte, error) {
	out := []byte(lockHeader)
	apis := struct {
		APIs map[string]LockedAPI `json:"apis"`
	}{l.APIs}
	if apis.APIs == nil {
		apis.APIs = map[string]LockedAPI{}
	}
	for _, part := range []any{Lock{Version: l.Version}, apis, Lock{Controllers: l.Controllers}, Lock{Children: l.Children}, Lock{Namespaces: l.Namespaces}, Lock{Files: l.Files}, Lock{Templated: l.Templated}, Lock{Packages: l.Packages}, Lock{Pending: l.Pending}} {
		text, err := yamltext.Marshal(part)
		if err != nil {
			return nil, err
		}
		if string(text) != "{}\n" {
			out = append(out, text...)
		}
	}
	return out, nil
}

// withPending returns the lock with more files that are about to be replaced or removed.
func (l Lock) withPending(more map[string]LockedFile) Lock {
	pending := maps.Clone(more)
	for file, before := range l.Pending {
		if _, isSet := pending[file]; !isSet {
			pending[file] = before
		}
	}
	l.Pending = pending
	return l
}

// ContentChecksum returns a checksum that does not depend on line endings, which git may convert in
// a checkout.
func ContentChecksum(content []byte) string {
	sum := sha256.Sum256(UnixLines(content))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// UnixLines returns a content with Unix line endings.
func UnixLines(content []byte) []byte {
	if !bytes.Contains(content, []byte("\r\n")) {
		return content
	}
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
}
