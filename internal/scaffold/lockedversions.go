package scaffold

import (
	"io/fs"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// servedVersions returns the versions of an API that are served, sorted.
func servedVersions(api *spec.Summary) []string {
	var served []string
	for _, v := range api.Versions {
		if v.Served {
			served = append(served, v.Name)
		}
	}
	slices.Sort(served)
	return served
}

// hasVersion reports whether an API has a version.
func hasVersion(api *spec.Summary, name string) bool {
	return slices.ContainsFunc(api.Versions, func(v spec.VersionSummary) bool { return v.Name == name })
}

// withStored returns the entry of an API with the versions that objects may be stored in beside that of storage: those that
// the entry before lists and that the API still has. Without a version, clusters that have it in status.storedVersions
// accept no CustomResourceDefinition, so that nothing can be stored in one that is gone.
func withStored(now, before tree.LockedAPI, api *spec.Summary) tree.LockedAPI {
	now.Stored = nil
	if now.Plural != before.Plural {
		return now // another CustomResourceDefinition
	}
	for _, version := range append(slices.Clone(before.Stored), before.Storage) {
		if version != now.Storage && hasVersion(api, version) && !slices.Contains(now.Stored, version) {
			now.Stored = append(now.Stored, version)
		}
	}
	slices.Sort(now.Stored)
	return now
}

// goneVersions returns the versions that an API no longer has, of those that objects may be stored in and of those that were
// served.
func goneVersions(before tree.LockedAPI, api *spec.Summary) (stored, served []string) {
	gone := func(versions []string) []string {
		return slices.DeleteFunc(slices.Clone(versions), func(version string) bool { return hasVersion(api, version) })
	}
	return gone(before.Stored), gone(before.Served)
}

// compareVersions reports the versions of an API of the lock that are gone. The former storage version is not among them if
// another one has its place: that is reported by itself.
func (r *renames) compareVersions(name string, old tree.LockedAPI, api *spec.Summary) {
	stored, served := goneVersions(old, api)
	all := append(slices.Clone(stored), served...)
	slices.Sort(all)
	for _, version := range slices.Compact(all) {
		if version == old.Storage {
			continue
		}
		var behind []string
		hint := "take it back, and write served: false once no client uses it, or " + letGoHint(name)
		if slices.Contains(stored, version) {
			behind = append(behind, "clusters that have it in status.storedVersions of "+old.CRDName(name)+" accept no CustomResourceDefinition without it")
			hint = migrationHint(name, old, api.StorageVersion().Name)
		}
		if slices.Contains(served, version) {
			behind = append(behind, "requests of clients that use it would fail")
		}
		r.problems = append(r.problems, spec.Problem{
			Pos: api.PositionOf("versions"), Path: "versions", Hint: hint,
			Message: "version " + version + " is gone: " + strings.Join(behind, ", and ") + describeBroken(r.importingFiles(old, api.Group, version)),
		})
	}
}

// migrationHint says how a version that objects may be stored in can be removed.
func migrationHint(name string, old tree.LockedAPI, storage string) string {
	return "take it back, with served: false once no client uses it; to remove it, write each object again in every cluster, then: kubectl patch crd " +
		old.CRDName(name) + ` --subresource=status --type=merge -p '{"status":{"storedVersions":["` + storage + `"]}}'` +
		"\n    when that is done everywhere, " + letGoHint(name)
}

// completeVersions adds the versions of APIs to the lock of an older opgen, which lists no more than the storage version.
// The generated CRDs have the others, and objects may be stored in each of these.
func completeVersions(l tree.Lock, files fs.FS) (tree.Lock, error) {
	lacks := false
	for _, api := range l.APIs {
		lacks = lacks || api.Served == nil
	}
	if !lacks {
		return l, nil
	}
	crds, err := generatedCRDs(l, files)
	for _, crd := range crds {
		name := schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}.String()
		if api, isListed := l.APIs[name]; isListed && api.Served == nil && api.Plural == crd.Spec.Names.Plural {
			l.APIs[name] = withVersions(api, crd)
		}
	}
	return l, err
}

// withVersions returns the entry of an API with the versions of its CRD.
func withVersions(api tree.LockedAPI, crd *apiextv1.CustomResourceDefinition) tree.LockedAPI {
	for _, v := range crd.Spec.Versions {
		switch {
		case v.Storage:
			api.Storage = v.Name
		default:
			api.Stored = append(api.Stored, v.Name)
		}
		if v.Served {
			api.Served = append(api.Served, v.Name)
		}
	}
	return api
}
