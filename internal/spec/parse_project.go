package spec

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/module"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// The oldest and the newest Kubernetes that CRDs can be checked for: CEL rules are stable since 1.29, and the
// API server's own code that opgen links is 1.37.
const (
	oldestKubernetes = 29
	newestKubernetes = 37
)

// maxProjectName leaves room for the longest name that is derived from a project's: its namespace.
const maxProjectName = 63 - len("-system")

// maxDescription is longer than any description.
const maxDescription = 1 << 20

// ParseProject reads opgen.yaml and fills in what it leaves out. The file is a name for positions; nothing is
// read from disk. The project is nil when there are problems, which are in the order of their positions.
func ParseProject(file string, data []byte) (*Project, Problems) {
	d, root := document(file, data)
	if root == nil {
		return nil, d.problems
	}
	p := &Project{File: file, At: map[string]Pos{}, Watch: WatchCluster, MinKubernetes: DefaultMinKubernetes, MaxDescLen: -1}
	d.record(p.At, "", root)
	known := d.header("Project")
	known["name"] = d.text(&p.Name)
	known["module"] = d.text(&p.Module)
	known["domain"] = d.text(&p.Domain)
	known["watch"] = word(d, &p.Watch, WatchCluster, WatchNamespace)
	known["multigroup"] = d.flag(&p.Multigroup)
	known["minKubernetes"] = d.text(&p.MinKubernetes)
	known["clients"] = d.flag(&p.Clients)
	known["maxDescLen"] = d.count(&p.MaxDescLen, 0, maxDescription)
	known["headerFile"] = d.text(&p.HeaderFile)
	known["ignoreUnexportedFields"] = d.flag(&p.IgnoreUnexportedFields)
	d.mapping(root, "", known)
	d.need(root, "", "apiVersion", "kind", "name", "module")
	d.projectNames(root, p)
	if len(d.problems) > 0 {
		return nil, d.problems.Sorted()
	}
	return p, nil
}

// header decodes the two keys that every spec file starts with.
func (d *decoder) header(kind string) keys {
	var version, got string
	return keys{
		"apiVersion": word(d, &version, FormatVersion),
		"kind":       word(d, &got, kind),
	}
}

var kubernetesMinor = lazyregexp.New(`^1\.([1-9][0-9]?)$`)

// projectNames checks what the words of a project stand for.
func (d *decoder) projectNames(root *yaml.Node, p *Project) {
	check := func(key, value string, valid func(string) string) {
		if _, n := lookup(root, key); n != nil && n.Kind == yaml.ScalarNode && n.Value == value {
			if hint := valid(value); hint != "" {
				d.fail(n, key, quoteShort(value)+" is not accepted", hint)
			}
		}
	}
	check("name", p.Name, func(name string) string {
		if !isLabel(name) || len(name) > maxProjectName {
			return fmt.Sprintf("use lower-case letters, digits and -, starting with a letter, at most %d characters", maxProjectName)
		}
		return ""
	})
	check("headerFile", p.HeaderFile, func(file string) string {
		if !fs.ValidPath(file) || file == "." {
			return "write the path of a file below the project, such as hack/boilerplate.go.txt"
		}
		return ""
	})
	check("module", p.Module, func(path string) string {
		if _, _, ok := module.SplitPathVersion(path); !ok || module.CheckImportPath(path) != nil {
			return "write the path of a Go module, such as example.com/echo-operator"
		}
		return ""
	})
	check("domain", p.Domain, func(domain string) string {
		if !isSubdomain(domain) {
			return "write a DNS name in lower case, such as example.com"
		}
		return ""
	})
	check("minKubernetes", p.MinKubernetes, func(version string) string {
		if err := CheckMinKubernetes(version); err != nil {
			return err.Error()
		}
		return ""
	})
}

// CheckMinKubernetes returns which versions may be the oldest Kubernetes that CRDs work on, unless this is one.
func CheckMinKubernetes(version string) error {
	if match := kubernetesMinor().FindStringSubmatch(version); match != nil {
		if minor, _ := strconv.Atoi(match[1]); minor >= oldestKubernetes && minor <= newestKubernetes {
			return nil
		}
	}
	return fmt.Errorf(`write a version from "1.%d" to "1.%d"`, oldestKubernetes, newestKubernetes)
}

// isImportPath says whether a path may be the import path of a Go package.
func isImportPath(path string) bool {
	return module.CheckImportPath(path) == nil && !strings.HasSuffix(path, "/")
}
