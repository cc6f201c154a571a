package scaffold

import (
	"io/fs"
	"path"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// operatorFile is the file of an operator that opgen generates.
const operatorFile = "zz_generated.operator.go"

// OperatorFolder is where the operator of a kind is, or will be, in a tree: internal/<kind>, or internal/<group>/<kind>
// where kinds of two groups share the name.
func OperatorFolder(tree fs.FS, p *spec.Project, api *spec.API, all []*spec.API) (string, error) {
	stays, err := staying(tree, all)
	return folderOf(p, api, all, stays), err
}

// groupOf finds the group in the generated file of an operator.
var groupOf = lazyregexp.New(`(?m)^\t+Group:\s+"([^"]+)",$`)

// folderOf is where the operator of a kind is: internal/<kind>, or internal/<group>/<kind> where kinds of two groups
// share the name. There one that is in internal/<kind> already stays.
func folderOf(p *spec.Project, api *spec.API, all []*spec.API, stays map[*spec.API]bool) string {
	kind := templates.PackageName(api.Names.GoKind)
	if !spec.SharesFolder(api, all) || stays[api] {
		return path.Join("internal", kind)
	}
	return path.Join("internal", crdgen.GroupFolder(p, api.Group), kind)
}

// staying returns the APIs of shared names whose operator is in internal/<kind> already, as the generated file there
// says.
func staying(tree fs.FS, all []*spec.API) (map[*spec.API]bool, error) {
	stays := map[*spec.API]bool{}
	for _, api := range all {
		if !spec.SharesFolder(api, all) {
			continue
		}
		content, err := read(tree, path.Join("internal", templates.PackageName(api.Names.GoKind), operatorFile))
		if err != nil {
			return nil, err
		}
		group := groupOf().FindSubmatch(content)
		stays[api] = group != nil && string(group[1]) == api.Group
	}
	return stays, nil
}
