package image

import (
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"
)

// newPackage returns an SPDX package that is identified by a package URL.
func newPackage(name, version, packageURL string) spdx.Package {
	return spdx.Package{
		PackageName: name, PackageVersion: version,
		PackageDownloadLocation: noAssertion,
		PackageLicenseConcluded: noAssertion, PackageLicenseDeclared: noAssertion, PackageCopyrightText: noAssertion,
		PackageExternalReferences: []*spdx.PackageExternalReference{{
			Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: packageURL,
		}},
	}
}

// goPackage returns the package of a Go module, or of the module that replaces it.
func goPackage(module debug.Module) spdx.Package {
	comment := ""
	switch replaced := module.Replace; {
	case replaced != nil && (replaced.Version == "" || replaced.Version == "(devel)"):
		comment, module.Version = "replaced by a folder", ""
	case replaced != nil:
		comment = "replaces " + module.Path
		module = *replaced
	}
	version := strings.TrimPrefix(module.Version, "(devel)")
	locator := "pkg:golang/" + module.Path
	if version != "" {
		locator += "@" + strings.ReplaceAll(version, "+", "%2B")
	}
	p := newPackage(module.Path, version, locator)
	p.PackageComment = comment
	if module.Sum != "" {
		p.PackageSourceInfo = "go.sum: " + module.Sum
	}
	return p
}

// certificatesPackage returns the package of the default base's certificate authorities.
func certificatesPackage() spdx.Package {
	module := debug.Module{Path: CertificatesModule}
	if own, ok := debug.ReadBuildInfo(); ok {
		for _, linked := range own.Deps {
			if linked.Path == CertificatesModule {
				module = *linked
			}
		}
	}
	p := goPackage(module)
	p.PackageFileName = "/" + certificatesFile
	return p
}

// imagePackage returns the package of the image for a platform, or for all if that is empty.
func (p *Plan) imagePackage(digest, platform string) spdx.Package {
	qualifiers := url.Values{"repository_url": {canonicalName(p.Tag.Context().Name())}, "tag": {p.Tag.TagStr()}}
	if platform != "" {
		one := parsePlatform(platform)
		qualifiers = url.Values{"repository_url": qualifiers["repository_url"], "os": {one.OS}, "arch": {one.Architecture}}
	}
	return ociPackage(p.Tag.Context(), digest, qualifiers)
}

// basePackage returns the package of the base image. What is in it is known from documents of its own.
func (p *Plan) basePackage() spdx.Package {
	repository := p.Base.digest.Context()
	return ociPackage(repository, p.Base.digest.DigestStr(), url.Values{"repository_url": {canonicalName(repository.Name())}})
}

func ociPackage(repository name.Repository, digest string, qualifiers url.Values) spdx.Package {
	parts := strings.Split(repository.RepositoryStr(), "/")
	locator := "pkg:oci/" + parts[len(parts)-1] + "@" + url.QueryEscape(digest) + "?" + qualifiers.Encode()
	return newPackage(canonicalName(repository.Name()), digest, locator)
}
