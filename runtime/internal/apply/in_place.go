package apply

import (
	"context"
	"fmt"
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// Labels and annotations at the paths of InPlace are applied in place and at once, whatever the strategy
// does with the rest of a child. The hash of the desired state does not cover them, so that no child is
// outdated because of them:
//
//	the child has the hash of the desired state   it is applied, which recreates no child for its metadata
//	it is outdated and waits, or keeps its state  they are patched, with the metadata that makes it a child
//
// Nothing else has labels or annotations of this field manager by default. So those that it owns and that
// are not desired any more are found in managedFields.

// PathsInPlace are the paths of labels and annotations that are applied in place: of all, or of single ones.
type PathsInPlace []fieldpath.Path

// ParseInPlace reads paths of labels and annotations that are applied in place.
func ParseInPlace(texts []string) (paths PathsInPlace, err error) {
	for _, text := range texts {
		path, err := managedfields.ParsePath(text)
		if err != nil {
			return nil, err
		}
		isEntry := managedfields.IsAround(pathOf("labels"), path) || managedfields.IsAround(pathOf("annotations"), path)
		if !isEntry || len(path) > 3 {
			return nil, fmt.Errorf("%s cannot be applied in place: only .metadata.labels, .metadata.annotations and single ones of them can", text)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// mapsInPlace are the parts of the metadata that have paths of InPlace.
var mapsInPlace = []string{"labels", "annotations"}

func pathOf(names ...any) fieldpath.Path {
	return fieldpath.MakePathOrDie(append([]any{"metadata"}, names...)...)
}

// Has reports whether a label or an annotation is applied in place. part is labels or annotations.
func (p PathsInPlace) Has(part, key string) bool {
	for _, path := range p {
		if managedfields.IsAround(path, pathOf(part, key)) {
			return true
		}
	}
	return false
}

// Without returns the content without the fields that are applied in place.
func (p PathsInPlace) Without(content map[string]any) map[string]any {
	metadata, ok := content["metadata"].(map[string]any)
	if len(p) == 0 || !ok {
		return content
	}
	content, metadata = maps.Clone(content), maps.Clone(metadata)
	content["metadata"] = metadata
	for _, part := range mapsInPlace {
		texts, _ := metadata[part].(map[string]any)
		texts = maps.Clone(texts)
		maps.DeleteFunc(texts, func(key string, _ any) bool { return p.Has(part, key) })
		if metadata[part] = texts; len(texts) == 0 {
			delete(metadata, part)
		}
	}
	return content
}

// inPlacePatch is a merge patch of labels and annotations.
type inPlacePatch struct {
	texts map[string]map[string]any // by the part of the metadata
	drops bool                      // it removes some
}

func (p inPlacePatch) isEmpty() bool { return len(p.texts) == 0 }

// add adds a value, or the removal of a label or an annotation: nil.
func (p *inPlacePatch) add(part, key string, value any) {
	if p.texts == nil {
		p.texts = map[string]map[string]any{}
	}
	if p.texts[part] == nil {
		p.texts[part] = map[string]any{}
	}
	p.texts[part][key] = value
}

// isInPlace reports whether a label or an annotation of the child is applied in place. The desired state
// that the child keeps changes with the rest.
func (d Desired) isInPlace(part, key string) bool {
	isDesiredText := part == "annotations" && key == d.DesiredKey
	return !isDesiredText && d.InPlace.Has(part, key)
}

// inPlacePatch returns what brings the fields that are applied in place to the desired state. It removes
// those that the field manager alone owns.
func (d Desired) inPlacePatch(live client.Object, manager string) (patch inPlacePatch) {
	if len(d.InPlace) == 0 || !d.Update.Rules().RepairsDrift {
		return patch
	}
	desired, _ := d.content()["metadata"].(map[string]any)
	current := map[string]map[string]string{"labels": live.GetLabels(), "annotations": live.GetAnnotations()}
	for _, part := range mapsInPlace {
		texts, _ := desired[part].(map[string]any)
		for key, value := range texts {
			if now, exists := current[part][key]; d.isInPlace(part, key) && (!exists || now != value) {
				patch.add(part, key, value)
			}
		}
	}
	ours, theirs := fieldpath.NewSet(), fieldpath.NewSet()
	for _, entry := range live.GetManagedFields() {
		switch {
		case entry.FieldsV1 == nil:
		case entry.Manager == manager && entry.Subresource == "":
			ours = ours.Union(parseFields(entry))
		default:
			theirs = theirs.Union(parseFields(entry))
		}
	}
	for _, part := range mapsInPlace {
		texts, _ := desired[part].(map[string]any)
		for key := range current[part] {
			_, isDesired := texts[key]
			path := pathOf(part, key)
			if !isDesired && d.isInPlace(part, key) && !d.isMark(part, key) && ours.Has(path) && !theirs.Has(path) {
				patch.add(part, key, nil)
				patch.drops = true
			}
		}
	}
	return patch
}

// isMark reports whether the runtime itself writes a label or an annotation of children.
func (d Desired) isMark(part, key string) bool {
	if part == "annotations" && (key == d.HashKey || key == d.AdoptedKey || key == d.CreatedAsKey || key == d.GeneratedKey || key == d.DesiredKey) {
		return true
	}
	if d.Ownership == nil {
		return false
	}
	own, _ := d.Ownership()[part].(map[string]any)
	_, isOwn := own[key]
	return isOwn
}

// metadataPatch returns the metadata, as a merge patch, that makes an object the parent's child, with the
// fields that are applied in place.
func (c *childApply) metadataPatch(ctx context.Context, live client.Object) (map[string]any, error) {
	patch := c.desired.inPlacePatch(live, c.manager)
	if patch.drops { // the cache holds no other field managers
		full, err := c.client.readSame(ctx, c.desired, live)
		if err != nil {
			return nil, err
		}
		patch = c.desired.inPlacePatch(full, c.manager)
	}
	metadata := c.desired.ownershipPatch(live, c.applier.claimsOn(live))
	for part, texts := range patch.texts {
		own, _ := metadata[part].(map[string]any)
		maps.Copy(texts, own)
		metadata[part] = texts
	}
	return metadata, nil
}
