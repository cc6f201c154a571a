package scaffold

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"slices"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/parallel"
	"github.com/opgen-dev/opgen/internal/tree"
)

// Known is what an earlier run made, for the next run. Each part has the digest of everything that
// it is made from as its key, so that a part whose source has changed is not known. What has errors
// is never known.
type Known map[string]KnownPart

// KnownPart is what was made for the APIs of a group.
type KnownPart struct {
	Files map[string]string `json:"files"`          // path of a Generated file → checksum
	CRDs  map[string]string `json:"crds,omitempty"` // Kind.group of an API → checksum of its document in the file of CRDs
}

// groupKey returns the key of the APIs of a group. They are made from their files, from the APIs
// that their operators name, and from what the project says of all. The key is empty if one of the
// APIs has no digest.
func groupKey(in Source, apis []API) (string, error) {
	all := Summaries(in.APIs)
	aliases := gomodel.Aliases(all)
	made := []any{in.Project, string(in.header)}
	for _, api := range withNamed(apis, in.APIs) {
		if api.Digest == "" {
			return "", nil
		}
		made = append(made, api.File, api.Digest, operatorFolder(in.Project, api.Summary, all, in.operatorFolders))
		for _, v := range api.Versions {
			made = append(made, aliases[api.Group+"/"+v.Name])
		}
	}
	return digestOf(made...)
}

// withNamed returns APIs and those of the project that their operators name.
func withNamed(apis, all []API) []API {
	named := slices.Clone(apis)
	has := func(api API) bool {
		return slices.ContainsFunc(named, func(other API) bool { return other.Summary == api.Summary })
	}
	for _, api := range apis {
		if api.Operator == nil {
			continue
		}
		for _, r := range operatorKinds(api.Operator) {
			for _, other := range all {
				if other.Names.Kind == r.Kind && !has(other) {
					named = append(named, other)
				}
			}
		}
	}
	return named
}

// digestOf returns the SHA-256 digest of values, as JSON.
func digestOf(values ...any) (string, error) {
	text, err := json.Marshal(values)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// documentEnd is between the documents of a YAML file.
const documentEnd = "---\n"

// splitDocuments returns the documents of a generated YAML file.
func splitDocuments(file []byte) [][]byte {
	all := bytes.SplitAfter(bytes.TrimPrefix(file, []byte(generatedYAML)), []byte("\n"+documentEnd))
	for i := range all[:len(all)-1] {
		all[i] = bytes.TrimSuffix(all[i], []byte(documentEnd))
	}
	return all
}

// knownDocuments returns the known documents in the generated file of CRDs of a tree, by their
// checksums.
func knownDocuments(files fs.FS, known Known) map[string][]byte {
	wanted := map[string]bool{}
	for _, part := range known {
		for _, checksum := range part.CRDs {
			wanted[checksum] = true
		}
	}
	documents := map[string][]byte{}
	content, err := tree.ReadRegularFile(files, CRDPath)
	if err != nil || len(wanted) == 0 { // Diff reports the error
		return documents
	}
	all := splitDocuments(tree.UnixLines(content))
	for i, checksum := range checksumsOf(all) {
		if wanted[checksum] {
			documents[checksum] = all[i]
		}
	}
	return documents
}

// checksumsOf returns the checksums of documents.
func checksumsOf(documents [][]byte) []string {
	checksums := make([]string, len(documents))
	parallel.Each(len(documents), func(i int) { checksums[i] = tree.ContentChecksum(documents[i]) })
	return checksums
}

// collectKnown returns what the next run can know of a project, given the files of its outputs.
func (p *project) collectKnown(outputs []output, files []tree.File) Known {
	known := Known{}
	var crds []string // by kind
	for i, o := range outputs {
		if o.path == CRDPath {
			crds = checksumsOf(splitDocuments(files[i].Content))
		}
		if o.key == "" || o.owner != tree.Generated {
			continue
		}
		if known[o.key].Files == nil {
			known[o.key] = KnownPart{map[string]string{}, map[string]string{}}
		}
		known[o.key].Files[o.path] = files[i].Checksum
	}
	for i, k := range p.kinds {
		if k.group.key != "" {
			known[k.group.key].CRDs[k.api.GroupKind()] = crds[i]
		}
	}
	return known
}
