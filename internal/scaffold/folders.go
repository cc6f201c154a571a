package scaffold

import (
	"io/fs"
	"path"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// operatorFile is the file of an operator that opgen generates.
const operatorFile = "zz_generated.operator.go"

// OperatorFolder returns the folder of a kind's operator in a tree: the one that opgen.lock lists,
// which never changes. A new operator goes to internal/<kind>, or to internal/<group>/<kind> where
// kinds of two groups share the name.
func OperatorFolder(tree fs.FS, p *spec.Project, api *spec.API, all []*spec.API) string {
	return operatorFolder(p, api, all, lockedFolders(tree))
}

// operatorFolder is OperatorFolder for the locked folders of the operators, by the names of their
// APIs.
func operatorFolder(p *spec.Project, api *spec.API, all []*spec.API, locked map[string]string) string {
	kind := templates.PackageName(api.Names.GoKind)
	plain, grouped := path.Join("internal", kind), path.Join("internal", gomodel.GroupFolder(p, api.Group), kind)
	switch folder := locked[APIName(api)]; {
	case folder == plain, folder == grouped:
		return folder
	case spec.SharesFolder(api, all):
		return grouped
	}
	return plain
}

// lockedFolders returns the folders of the operators that opgen.lock lists, by the names of their
// APIs. A lock that cannot be read lists none; Diff reports what is wrong with it.
func lockedFolders(tree fs.FS) map[string]string {
	lock, err := ReadLock(tree)
	if err != nil {
		return nil
	}
	folders := map[string]string{}
	for name, api := range lock.APIs {
		folders[name] = api.Operator
	}
	return folders
}
