package spec

import (
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// mustSayDeletion are the kinds whose deletion loses data, as group/kind.
var mustSayDeletion = []string{"/PersistentVolumeClaim", "/Namespace", "apiextensions.k8s.io/CustomResourceDefinition"}

// child decodes one kind of children.
func (d *decoder) child(n *yaml.Node, path string) Child {
	c := Child{
		Update: InPlace, Adopt: AdoptNever, WhenDropped: Delete, WhenDeleted: Delete,
		WhenImmutable: FailIfImmutable, Cache: CacheFull,
	}
	ok := d.resource(n, path, &c.Resource, keys{
		"update":        word(d, &c.Update, InPlace, Recreate, OnDelete, CreateOnly, RollingInPlace, RollingRecreate),
		"adopt":         word(d, &c.Adopt, AdoptNever, AdoptIfUnowned, AdoptForce),
		"retired":       d.flag(&c.Retired),
		"whenDropped":   word(d, &c.WhenDropped, Delete, Orphan),
		"whenDeleted":   word(d, &c.WhenDeleted, Delete, Orphan),
		"whenImmutable": word(d, &c.WhenImmutable, FailIfImmutable, RecreateIfImmutable),
		"readyWhen":     d.expression(&c.ReadyWhen),
		"cache":         word(d, &c.Cache, CacheFull, CacheMetadata),
	})
	if !ok {
		return c
	}
	d.contradictions(n, path, c)
	if !slices.Contains(mustSayDeletion, c.group()+"/"+c.Kind) {
		return c
	}
	for _, key := range []string{"whenDropped", "whenDeleted"} {
		if _, value := lookup(n, key); value == nil {
			d.fail(n, path, "lacks the key "+key, "deleting a "+c.Kind+" loses data, so that it must be written out: "+key+": Orphan, or "+key+": Delete")
		}
	}
	return c
}

// contradictions reports keys of a child that say nothing beside others.
func (d *decoder) contradictions(n *yaml.Node, path string, c Child) {
	refuse := func(key, message, hint string) {
		if name, _ := lookup(n, key); name != nil {
			d.fail(name, join(path, key), message, hint)
		}
	}
	if c.Retired {
		for _, key := range []string{"as", "update", "adopt", "whenImmutable", "readyWhen", "cache"} {
			refuse(key, "does not go with retired: true", "nothing is made of a retired kind any more: leave the key out")
		}
		return
	}
	switch c.Update {
	case CreateOnly:
		refuse("whenImmutable", "does not go with update: CreateOnly", "nothing of such a child is ever changed: leave the key out")
	case OnDelete:
		refuse("whenImmutable", "does not go with update: OnDelete", "a change waits until somebody deletes the child: leave the key out, or write update: Recreate")
	case Recreate, RollingRecreate:
		refuse("whenImmutable", "does not go with update: "+string(c.Update), "every change makes the child anew: leave the key out")
	}
	if c.Cache != CacheMetadata {
		return
	}
	refuse("readyWhen", "does not go with cache: metadata", "the rule would see no more than metadata: leave cache out")
	if c.Update.rolling() {
		refuse("update", string(c.Update)+" does not go with cache: metadata", "it waits until children are ready, and metadata does not tell: leave cache out")
	}
}

// distinctChildren reports children that are the same resource, or would be the same Go field.
func (d *decoder) distinctChildren(children []Child, path string) {
	kinds, fields := map[string]int{}, map[string]int{}
	for i, c := range children {
		if c.Kind == "" {
			continue
		}
		kind := c.group() + "/" + c.Kind
		if first, ok := kinds[kind]; ok {
			d.failAt(c.Pos, at(path, i), "duplicate child "+c.Kind, "the first is on line "+strconv.Itoa(children[first].Pos.Line))
			continue
		}
		kinds[kind] = i
		if first, ok := fields[c.As]; ok {
			d.failAt(c.Pos, at(path, i), "its Go field "+c.As+" is that of "+children[first].Kind+" of "+children[first].APIVersion+" too", "set another one: as: Other"+c.As)
		}
		fields[c.As] = i
	}
}

// selfChildren reports children that are the parent's own kind: each would make the next.
func (d *decoder) selfChildren(api *API) {
	if api.Operator == nil {
		return
	}
	for i, c := range api.Operator.Children {
		if c.Kind != "" && c.Kind == api.Names.Kind && c.group() == api.Group {
			d.failAt(c.Pos, at("operator.children", i), c.Kind+" cannot be its own child", "")
		}
	}
}
