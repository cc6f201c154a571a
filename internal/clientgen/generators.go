package clientgen

import (
	"maps"
	"os"
	"path"
	"path/filepath"

	applyargs "k8s.io/code-generator/cmd/applyconfiguration-gen/args"
	applygen "k8s.io/code-generator/cmd/applyconfiguration-gen/generators"
	clientargs "k8s.io/code-generator/cmd/client-gen/args"
	clientgen "k8s.io/code-generator/cmd/client-gen/generators"
	clienttypes "k8s.io/code-generator/cmd/client-gen/types"
	informerargs "k8s.io/code-generator/cmd/informer-gen/args"
	informergen "k8s.io/code-generator/cmd/informer-gen/generators"
	listerargs "k8s.io/code-generator/cmd/lister-gen/args"
	listergen "k8s.io/code-generator/cmd/lister-gen/generators"
	"k8s.io/code-generator/pkg/util"
	"k8s.io/gengo/v2/generator"
)

// The folders of client/ have the names that code-generator's own script kube_codegen.sh gives
// them.
const (
	applyFolder     = "applyconfiguration"
	clientsetFolder = "clientset"
	clientsetName   = "versioned"
	listerFolder    = "listers"
	informerFolder  = "informers"
)

// generateApplyConfigurations generates client/applyconfiguration.
func (p *plan) generateApplyConfigurations() error {
	args := applyargs.New()
	args.OutputDir, args.OutputPkg = p.folderAt(applyFolder)
	maps.Copy(args.ExternalApplyConfigurations, externalApplyPackages())
	document, err := openAPI(p.groups, p.crds)
	if err != nil {
		return err
	}
	args.OpenAPISchemaFilePath = filepath.Join(p.dir, "openapi.json")
	if err := os.WriteFile(args.OpenAPISchemaFilePath, document, 0o600); err != nil {
		return err
	}
	return p.executeTargets(applygen.NameSystems(), applygen.DefaultNameSystem(),
		func(c *generator.Context) []generator.Target { return applygen.GetTargets(c, args) })
}

// generateClientset generates client/clientset/versioned, with a fake for tests.
func (p *plan) generateClientset() error {
	args := clientargs.New()
	args.OutputDir, args.OutputPkg = p.folderAt(clientsetFolder)
	args.ClientsetName = clientsetName
	_, args.ApplyConfigurationPackage = p.folderAt(applyFolder)
	args.PluralExceptions = pluralExceptions(p.groups)
	for _, g := range p.groups {
		versions := clienttypes.GroupVersions{PackageName: g.folder, Group: clienttypes.Group(g.name)}
		for _, v := range g.versions {
			versions.Versions = append(versions.Versions,
				clienttypes.PackageVersion{Version: clienttypes.Version(v.Version), Package: v.path})
		}
		args.Groups = append(args.Groups, versions)
	}
	return p.executeTargets(clientgen.NameSystems(util.PluralExceptionListToMapOrDie(args.PluralExceptions)), clientgen.DefaultNameSystem(),
		func(c *generator.Context) []generator.Target { return clientgen.GetTargets(c, args) })
}

// generateListers generates client/listers.
func (p *plan) generateListers() error {
	args := listerargs.New()
	args.OutputDir, args.OutputPkg = p.folderAt(listerFolder)
	args.PluralExceptions = pluralExceptions(p.groups)
	return p.executeTargets(listergen.NameSystems(util.PluralExceptionListToMapOrDie(args.PluralExceptions)), listergen.DefaultNameSystem(),
		func(c *generator.Context) []generator.Target { return listergen.GetTargets(c, args) })
}

// generateInformers generates client/informers/externalversions.
func (p *plan) generateInformers() error {
	args := informerargs.New()
	args.OutputDir, args.OutputPkg = p.folderAt(informerFolder)
	_, args.VersionedClientSetPackage = p.folderAt(clientsetFolder + "/" + clientsetName)
	_, args.ListersPackage = p.folderAt(listerFolder)
	args.PluralExceptions = pluralExceptions(p.groups)
	return p.executeTargets(informergen.NameSystems(util.PluralExceptionListToMapOrDie(args.PluralExceptions)), informergen.DefaultNameSystem(),
		func(c *generator.Context) []generator.Target { return informergen.GetTargets(c, args) })
}

// folderAt returns the directory and the import path of a folder of client/.
func (p *plan) folderAt(folder string) (dir, importPath string) {
	return filepath.Join(p.dir, filepath.FromSlash(folder)), path.Join(p.root, folder)
}
