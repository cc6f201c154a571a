package reference

import "github.com/opgen-dev/opgen/internal/spec"

// childKeys are the keys of a child.
func childKeys() []key {
	deletion := func() *schema { return word(spec.Delete, spec.Orphan).withDefault(spec.Delete) }
	const written = "For PersistentVolumeClaim, Namespace and CustomResourceDefinition it must be written out"
	return append(resourceKeys("each resource once"), []key{
		{name: "update", value: updates().withDefault(spec.InPlace),
			means: "how a change reaches a child that is there. `InPlace`: it is applied; `Recreate`: the child is deleted and made anew; `OnDelete`: when somebody deletes the child; `CreateOnly`: never; `RollingInPlace` and `RollingRecreate`: one child at a time, the next when the one before is ready"},
		{name: "adopt", value: word(spec.AdoptNever, spec.AdoptIfUnowned, spec.AdoptForce).withDefault(spec.AdoptNever),
			means: "what becomes of an object that has the name of a child and is not the parent's. `Never`: it is left alone; `IfUnowned`: it becomes a child unless another object controls it; `Force`: it becomes a child"},
		{name: "retired", value: toggle(false), means: "no longer made, kept so that old ones are pruned"},
		{name: "whenDropped", value: deletion(), means: "what happens when Sync no longer wants the child: `Delete`, or `Orphan`, which leaves it there and is done with it. " + written},
		{name: "whenDeleted", value: deletion(), means: "what happens when the parent goes: `Delete` or `Orphan`. " + written},
		{name: "whenImmutable", value: word(spec.FailIfImmutable, spec.RecreateIfImmutable).withDefault(spec.FailIfImmutable),
			means: "what happens when a change is refused since the field cannot change. `Fail`: the parent is not ready and says why; `Recreate`: the child is deleted and made anew"},
		{name: "readyWhen", absent: "as the kind usually is", value: matching(`\S`, "a CEL rule", "self.status.phase == 'Running'"),
			means: "CEL rule over `self`, the child, that says when it is ready"},
		{name: "cache", value: word(spec.CacheFull, spec.CacheMetadata).withDefault(spec.CacheFull),
			means: "what is kept of the children in memory: whole objects (`full`), or their `metadata` alone, which is all that Sync sees of them then"},
	}...)
}

func updates() *schema {
	return word(spec.InPlace, spec.Recreate, spec.OnDelete, spec.CreateOnly, spec.RollingInPlace, spec.RollingRecreate)
}

// child is a kind of children. Where deleting it loses data, that must be written out; some keys say nothing beside
// others.
func child() *schema {
	s := object(childKeys())
	written := &schema{Required: []string{"whenDropped", "whenDeleted"}}
	for _, holds := range []struct {
		group string
		kinds []string
	}{
		{`^[^/]*$`, []string{"PersistentVolumeClaim", "Namespace"}},
		{`^apiextensions\.k8s\.io/`, []string{"CustomResourceDefinition"}},
	} {
		kind := when("kind", word(holds.kinds...))
		s.AllOf = append(s.AllOf, &schema{If: &schema{AllOf: []*schema{when("apiVersion", &schema{Pattern: holds.group}), kind}}, Then: written})
	}
	retired := when("retired", &schema{Const: true})
	changed := word(spec.InPlace, spec.RollingInPlace)
	rolling := word(spec.RollingInPlace, spec.RollingRecreate)
	s.AllOf = append(s.AllOf,
		&schema{If: retired, Then: without("as", "update", "adopt", "whenImmutable", "readyWhen", "cache")},
		&schema{If: when("update", &schema{Not: changed}), Then: without("whenImmutable")},
		&schema{If: when("cache", &schema{Const: spec.CacheMetadata}), Then: &schema{Properties: map[string]*schema{
			"readyWhen": never(), "update": {Not: rolling},
		}}},
	)
	return s
}

// without refuses keys.
func without(names ...string) *schema {
	s := &schema{Properties: map[string]*schema{}}
	for _, name := range names {
		s.Properties[name] = never()
	}
	return s
}
