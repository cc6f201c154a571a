package deployment

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// localFiles is the disk as kustomize reads it when nothing remote is allowed. kustomize itself fetches URLs and clones
// repositories, and has no option that keeps it from that. All paths that it loads come from kustomizations and from the
// configurations of its plugins, both of which it reads here first: a file that names a URL cannot be read.
type localFiles struct {
	filesys.FileSystem
	folders  map[string]string // of kustomizations, by the files that they are after symbolic links
	problems spec.Problems     // kustomize reports some errors of reading as files that are absent
}

func newLocalFiles() *localFiles {
	return &localFiles{FileSystem: filesys.MakeFsOnDisk(), folders: map[string]string{}}
}

// CleanedAbs resolves symbolic links. kustomize resolves each path before it reads the file.
func (l *localFiles) CleanedAbs(path string) (filesys.ConfirmedDir, string, error) {
	dir, file, err := l.FileSystem.CleanedAbs(path)
	if err == nil && slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(path)) {
		l.folders[dir.Join(file)] = filepath.Dir(path)
	}
	return dir, file, err
}

// ReadFile returns the content of a file, and an error if it names something remote.
func (l *localFiles) ReadFile(path string) ([]byte, error) {
	content, err := l.FileSystem.ReadFile(path)
	if err != nil {
		return nil, err
	}
	folder, isKustomization := l.folders[path]
	check := remoteCheck{file: shortPath(path), isFolder: func(name string) bool { return l.IsDir(filepath.Join(folder, name)) }}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); err != nil { // the end, or no YAML: kustomize reports that if it needs any
			break
		}
		check.checkDocument(&document, isKustomization)
	}
	l.problems = append(l.problems, check.problems...)
	return content, check.problems.Err()
}

// shortPath returns a path from the working directory if it is below it.
func shortPath(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// remoteCheck collects what a file of a kustomization names that is not on this disk.
type remoteCheck struct {
	file     string
	isFolder func(name string) bool
	problems spec.Problems
}

const (
	remoteHint = "copy it into the project; opgen deploy and undeploy load it with --allow-remote"
	folderHint = "name files instead; opgen deploy and undeploy accept it with --allow-remote"
)

// checkDocument checks a kustomization, or the configurations of plugins among other objects. Other values may be URLs.
func (c *remoteCheck) checkDocument(node *yaml.Node, isKustomization bool) {
	if isKustomization {
		c.checkValue(node, "", 0)
		return
	}
	eachMapping(node, 0, func(mapping *yaml.Node) {
		if configuresPlugin(mapping, 0) {
			c.checkValue(mapping, "", 0)
		}
	})
}

const maxNesting = 1000 // of nodes, whose aliases could contain themselves

// eachMapping calls visit with a node and all nodes below it that are mappings.
func eachMapping(node *yaml.Node, depth int, visit func(*yaml.Node)) {
	if node.Kind == yaml.MappingNode {
		visit(node)
	}
	for _, below := range node.Content {
		if depth < maxNesting {
			eachMapping(below, depth+1, visit)
		}
	}
}

// configuresPlugin reports whether an object is the configuration of one of kustomize's plugins.
func configuresPlugin(mapping *yaml.Node, depth int) bool {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], resolveAlias(mapping.Content[i+1])
		switch {
		case strings.EqualFold(key.Value, "apiVersion") && strings.Contains(value.Value, konfig.BuiltinPluginApiVersion):
			return true
		case key.Value == "<<" && depth < maxNesting && configuresPlugin(value, depth+1):
			return true
		}
	}
	return false
}

func resolveAlias(node *yaml.Node) *yaml.Node { return cmp.Or(node.Alias, node) }

// dataKeys are the keys of kustomizations and of configurations of plugins below which no path is: URLs are data there.
var dataKeys = []string{
	"annotations", "commonannotations", "commonlabels", "images", "imagetag", "imagetags", "labels", "literals", "metadata", "patch", "value", "vars",
}

// objectKeys are the keys of a kustomization whose items are objects, or the paths of objects.
var objectKeys = []string{"generators", "transformers", "validators"}

// checkValue adds a problem for each text below a node that kustomize would take for a URL, or for the address of a
// repository.
func (c *remoteCheck) checkValue(node *yaml.Node, key string, depth int) {
	node = resolveAlias(node)
	switch {
	case depth > maxNesting || slices.Contains(dataKeys, key):
	case node.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			c.checkValue(node.Content[i+1], strings.ToLower(node.Content[i].Value), depth+1)
		}
	case node.Kind == yaml.ScalarNode:
		c.checkText(node, slices.Contains(objectKeys, key))
	default:
		for _, item := range node.Content {
			c.checkValue(item, key, depth+1)
		}
	}
}

// checkText checks a text, which may be an object written as text.
func (c *remoteCheck) checkText(node *yaml.Node, isObject bool) {
	_, source, _ := strings.Cut(node.Value, "=") // an item of files may be KEY=PATH
	for _, text := range []string{node.Value, source} {
		if remote().MatchString(text) {
			c.add(node, text+" is not in the project", remoteHint)
			return
		}
	}
	if !isObject {
		return
	}
	var object yaml.Node
	if yaml.Unmarshal([]byte(node.Value), &object) == nil && len(object.Content) > 0 && object.Content[0].Kind == yaml.MappingNode {
		within := remoteCheck{file: c.file, isFolder: c.isFolder}
		within.checkValue(&object, "", 0)
		for _, problem := range within.problems { // the lines of the text are those of the file after it
			c.add(node, problem.Message, problem.Hint)
		}
	} else if c.isFolder(node.Value) {
		c.add(node, node.Value+" is a folder, and what it renders may name URLs", folderHint)
	}
}

func (c *remoteCheck) add(node *yaml.Node, message, hint string) {
	c.problems = append(c.problems, spec.Problem{Pos: spec.Pos{File: c.file, Line: node.Line, Column: node.Column}, Message: message, Hint: hint})
}

// remote matches what kustomize fetches or clones: URLs that it loads as files (IsRemoteFile of its loader), and addresses
// of repositories (NewRepoSpecFromURL).
var remote = lazyregexp.New(`(?i)^(https?:|(git::)?((ssh|https?|file)://|github\.com[/:]|[a-z][a-z0-9-]*@[^/:]*[/:]))`)
