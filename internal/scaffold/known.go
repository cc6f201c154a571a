package scaffold

import (
	"bytes"
	"io/fs"
	"slices"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/parallel"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// Known is what a run of opgen found out about parts of a project, for the next run. Each part has
// the digest of everything that it is made from as its key, so that a part whose source has changed
// is not known. What has errors is never known.
type Known struct {
	CRDs   map[string]string     `json:"crds,omitempty"`   // checked API → checksum of its document in the file of CRDs
	Groups map[string]KnownGroup `json:"groups,omitempty"` // the APIs of a group with their operators
	Fixed  map[string]string     `json:"fixed,omitempty"`  // file that is the same in every project → checksum
}

// KnownGroup is the Go code of the APIs of a group and of their operators.
type KnownGroup struct {
	Packages []gomodel.Outline `json:"packages"`
	Files    map[string]string `json:"files"` // path of a Generated file → checksum
}

// knownParts are the parts of a source that an earlier run knew, and what the next can know.
type knownParts struct {
	keys   partKeys
	crds   map[string]string     // the checksum of the document, by the file of the API
	groups map[string]KnownGroup // by the group
	next   Known
}

// knownPartsOf returns the parts of a source that are known.
func knownPartsOf(in Source) (knownParts, error) {
	parts := knownParts{
		crds: map[string]string{}, groups: map[string]KnownGroup{},
		next: Known{CRDs: map[string]string{}, Groups: map[string]KnownGroup{}, Fixed: map[string]string{}},
	}
	var err error
	if parts.keys, err = keysOf(in); err != nil {
		return parts, err
	}
	for file, key := range parts.keys.crds {
		if checksum := in.Known.CRDs[key]; checksum != "" {
			parts.crds[file] = checksum
		}
	}
	for group, key := range parts.keys.groups {
		if known, found := in.Known.Groups[key]; found && key != "" {
			parts.groups[group] = known
		}
	}
	return parts, nil
}

// withSchemas returns the APIs of a source. Those that something is made of have their schemas: the
// APIs of groups that are not known, those without a checked CRD, and those that other operators
// name which are not known. Typed clients and templates of one's own need all schemas.
func (k knownParts) withSchemas(in Source) []*spec.API {
	var needed []*spec.API
	for _, api := range in.APIs {
		if _, known := k.groups[api.Group]; !known || k.crds[api.File] == "" || in.Project.Clients || len(in.Project.Templates) > 0 {
			needed = append(needed, api)
		}
	}
	needed = withNamed(needed, in.APIs)
	for _, r := range namedKinds(nil, in.Controllers) {
		needed = append(needed, kindsNamed(r.Kind, in.APIs)...)
	}
	all := slices.Clone(in.APIs)
	parallel.Each(len(all), func(i int) {
		if slices.Contains(needed, all[i]) {
			all[i] = in.readSchemas(all[i])
		}
	})
	return all
}

// outlines returns those of the packages of known groups. Typed clients need all types.
func (k knownParts) outlines(p *spec.Project) []gomodel.Outline {
	if p.Clients {
		return nil
	}
	var all []gomodel.Outline
	for _, group := range k.groups {
		all = append(all, group.Packages...)
	}
	return all
}

// knownDocuments returns the known documents in the generated file of CRDs of a tree, by their
// checksums.
func knownDocuments(files fs.FS, known Known) map[string][]byte {
	documents := map[string][]byte{}
	if len(known.CRDs) == 0 {
		return documents
	}
	content, err := tree.ReadRegularFile(files, crdPath)
	if err != nil { // which Diff reports
		return documents
	}
	wanted := map[string]bool{}
	for _, checksum := range known.CRDs {
		wanted[checksum] = true
	}
	content = bytes.TrimPrefix(tree.UnixLines(content), []byte(generatedYAML))
	all := bytes.SplitAfter(content, []byte("\n"+documentEnd))
	checksums := make([]string, len(all))
	parallel.Each(len(all), func(i int) {
		if i < len(all)-1 {
			all[i] = bytes.TrimSuffix(all[i], []byte(documentEnd))
		}
		checksums[i] = tree.ContentChecksum(all[i])
	})
	for i, checksum := range checksums {
		if wanted[checksum] {
			documents[checksum] = all[i]
		}
	}
	return documents
}

// addCRD remembers the document of a checked API for the next run. isKnown says that the document
// is the one of the earlier run.
func (k knownParts) addCRD(file string, document []byte, isKnown bool) {
	if key := k.keys.crds[file]; key != "" {
		checksum := k.crds[file]
		if !isKnown {
			checksum = tree.ContentChecksum(document)
		}
		k.next.CRDs[key] = checksum
	}
}

// collectKnown returns what the next run can know of a project, given its rendered files.
func (p *project) collectKnown(files []tree.File) Known {
	next := p.known.next
	checksums := map[string]map[string]string{}
	for _, f := range files {
		if f.Path == schemaPath {
			next.Fixed[f.Path] = f.Checksum
		}
		if f.Group == "" || f.Owner != tree.Generated {
			continue
		}
		if checksums[f.Group] == nil {
			checksums[f.Group] = map[string]string{}
		}
		checksums[f.Group][f.Path] = f.Checksum
	}
	for group, key := range p.known.keys.groups {
		if key == "" {
			continue
		}
		known := KnownGroup{Files: checksums[group]}
		for _, pkg := range p.packages {
			if pkg.Group == group {
				known.Packages = append(known.Packages, pkg.Outline())
			}
		}
		next.Groups[key] = known
	}
	return next
}
