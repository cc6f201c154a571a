package scaffold

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
)

// digestOf returns the SHA-256 digest of values, as JSON.
func digestOf(values ...any) (string, error) {
	text, err := json.Marshal(values)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// partKeys are the keys of the parts of a source. A part without a key is always made again: it is
// made from more than spec files.
type partKeys struct {
	crds   map[string]string // by the file of the API
	groups map[string]string // by the group
}

// keysOf returns the keys of the parts of a source.
func keysOf(in Source) (partKeys, error) {
	keys := partKeys{map[string]string{}, map[string]string{}}
	settings, err := digestOf(in.Project, in.header)
	if err != nil {
		return keys, err
	}
	groups := map[string][]*spec.API{}
	for _, api := range in.APIs {
		groups[api.Group] = append(groups[api.Group], api)
		if digest := in.Digests[api.File]; digest != "" {
			if keys.crds[api.File], err = digestOf(settings, digest); err != nil {
				return keys, err
			}
		}
	}
	aliases := gomodel.Aliases(in.Project, in.APIs)
	for group, apis := range groups {
		if keys.groups[group], err = keys.groupKey(in, settings, aliases, withNamed(apis, in.APIs)); err != nil {
			return keys, err
		}
	}
	return keys, nil
}

// groupKey returns the key of a group, given its APIs and those that their operators name. It is
// empty if one of these has none.
func (k partKeys) groupKey(in Source, settings string, aliases map[string]string, apis []*spec.API) (string, error) {
	made := []any{settings}
	for _, api := range apis {
		key := k.crds[api.File]
		if key == "" {
			return "", nil
		}
		made = append(made, api.File, key, operatorFolder(in.Project, api, in.APIs, in.operatorFolders))
		for _, v := range api.Versions {
			made = append(made, aliases[api.Group+"/"+v.Name])
		}
	}
	return digestOf(made...)
}

// withNamed returns APIs and those of the project that their operators name.
func withNamed(apis, all []*spec.API) []*spec.API {
	named := slices.Clone(apis)
	for _, api := range apis {
		if api.Operator == nil {
			continue
		}
		for _, r := range operatorKinds(api.Operator) {
			for _, other := range kindsNamed(r.Kind, all) {
				if !slices.Contains(named, other) {
					named = append(named, other)
				}
			}
		}
	}
	return named
}

// kindsNamed returns the APIs of a kind, whatever their groups.
func kindsNamed(kind string, all []*spec.API) []*spec.API {
	return slices.DeleteFunc(slices.Clone(all), func(api *spec.API) bool { return api.Names.Kind != kind })
}
