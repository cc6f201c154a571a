package scaffold

import (
	"io/fs"
	"path"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// operatorFile is the name of the Generated file of an operator.
const operatorFile = "zz_generated.operator.go"

// OperatorFolder returns the folder of a kind's operator in a tree. It is the folder in opgen.lock,
// which never changes. A new operator gets internal/<kind>, or internal/<group>/<kind> if kinds of
// two groups have the same name.
func OperatorFolder(tree fs.FS, p *spec.Project, api *spec.Summary, all []*spec.Summary) string {
	return operatorFolder(p, api, all, lockedFolders(tree))
}

// operatorFolder is OperatorFolder for known folders of operators, by the names of their APIs.
func operatorFolder(p *spec.Project, api *spec.Summary, all []*spec.Summary, locked map[string]string) string {
	kind := templates.PackageName(api.Names.GoKind)
	plain, grouped := path.Join("internal", kind), path.Join("internal", gomodel.GroupFolder(p, api.Group), kind)
	switch folder := locked[api.GroupKind()]; {
	case folder == plain, folder == grouped:
		return folder
	case spec.SharesFolder(api, all):
		return grouped
	}
	return plain
}

// lockedFolders returns the folders of operators in opgen.lock, by the names of their APIs. It
// returns none if the lock cannot be read, which Diff reports.
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
