package image

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"
)

// noAssertion is SPDX for what a document says nothing about.
const noAssertion = "NOASSERTION"

// bill is an SPDX document under construction.
type bill struct {
	spdx.Document
	ids map[string]common.ElementID // of packages, by their package URLs
}

// sbomOf returns the software bill of materials of an image in SPDX: the image of each platform, with the
// Go modules that the go command recorded in its executable.
func (p *Plan) sbomOf(built *Image) ([]byte, error) {
	b := bill{ids: map[string]common.ElementID{}}
	b.SPDXVersion, b.DataLicense, b.SPDXIdentifier = spdx.Version, spdx.DataLicense, "DOCUMENT"
	b.DocumentName = canonicalName(p.Tag.Name())
	b.DocumentNamespace = fmt.Sprintf("https://spdx.org/spdxdocs/%s-%s", p.Title, strings.TrimPrefix(built.Digest, "sha256:"))
	b.CreationInfo = &spdx.CreationInfo{
		Created: p.Created.Format(time.RFC3339), Creators: []common.Creator{{CreatorType: "Tool", Creator: p.Tool}},
	}
	whole := b.addImage(p.imagePackage(built.Digest, ""))
	b.relate("DOCUMENT", common.TypeRelationshipDescribe, whole)
	for _, one := range built.Platforms {
		image := b.addImage(p.imagePackage(one.Digest, one.Platform))
		b.relate(whole, common.TypeRelationshipContains, image)
		b.addModules(image, one.modules)
		if p.Base == nil {
			b.relate(image, common.TypeRelationshipContains, b.add(certificatesPackage()))
		} else {
			b.relate(image, common.TypeRelationshipDescendantOf, b.addImage(p.basePackage()))
		}
	}
	document, err := json.MarshalIndent(b.Document, "", " ")
	return append(document, '\n'), err
}

// addModules adds the Go modules of an executable to an image, or those of one that the document itself describes.
func (b *bill) addModules(owner common.ElementID, build *debug.BuildInfo) {
	how := common.TypeRelationshipContains
	if owner == "DOCUMENT" {
		how = common.TypeRelationshipDescribe
	}
	main := b.add(goPackage(build.Main))
	b.relate(owner, how, main)
	modules := []spdx.Package{goPackage(debug.Module{Path: "stdlib", Version: strings.TrimPrefix(build.GoVersion, "go")})}
	for _, module := range build.Deps {
		modules = append(modules, goPackage(*module))
	}
	for _, module := range modules {
		id := b.add(module)
		if owner != "DOCUMENT" {
			b.relate(owner, how, id)
		}
		b.relate(main, common.TypeRelationshipDependsOn, id)
	}
}

// addImage adds a package that is an image.
func (b *bill) addImage(p spdx.Package) common.ElementID {
	p.PrimaryPackagePurpose = "CONTAINER"
	return b.add(p)
}

// add adds a package, unless the document has it, and returns its identifier.
func (b *bill) add(p spdx.Package) common.ElementID {
	key := p.PackageExternalReferences[0].Locator
	if id, found := b.ids[key]; found {
		return id
	}
	id := common.ElementID(fmt.Sprintf("Package-%d-%s", len(b.ids), elementName(p.PackageName)))
	b.ids[key] = id
	p.PackageSPDXIdentifier = id
	b.Packages = append(b.Packages, &p)
	return id
}

// relate adds a relationship, unless the document has it.
func (b *bill) relate(from common.ElementID, how string, to common.ElementID) {
	a, z := common.MakeDocElementID("", string(from)), common.MakeDocElementID("", string(to))
	for _, r := range b.Relationships {
		if r.RefA == a && r.RefB == z && r.Relationship == how {
			return
		}
	}
	b.Relationships = append(b.Relationships, &spdx.Relationship{RefA: a, RefB: z, Relationship: how})
}

// elementName returns a name with the characters that identifiers may have.
func elementName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, name)
}
