package spec

import (
	"math"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/jsonschema"
	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// childMapping returns the keys of a kind of children.
func childMapping(c *Child) Mapping {
	allowDisconnect, partOfReady := true, true
	const written = "For PersistentVolumeClaim, Namespace and CustomResourceDefinition it must be written out"
	return Mapping{Name: "child", pos: &c.Pos, Keys: append(resourceKeys(&c.Resource, "a kind listed several times needs another `as` each time"), []Key{
		fieldNameKey(&c.Resource),
		{Name: "update", value: wordOr(InPlace, &c.Update, InPlace, Recreate, OnDelete, CreateOnly, RollingInPlace, RollingRecreate),
			Doc: "how a change reaches a child that exists. `InPlace`: it is applied; `Recreate`: the child is deleted and created again; `OnDelete`: when somebody deletes the child; `CreateOnly`: never; `RollingInPlace` and `RollingRecreate`: one child at a time, the next when the one before is ready"},
		{Name: "maxUnavailable", value: countOrPercentage(&c.MaxUnavailable),
			Doc: "how many children a rolling update lets be down at a time: a number, or a percentage of the children that Sync returns, rounded down, and at least 1"},
		{Name: "evict", value: trueOrFalseBy(false, &c.Evict),
			Doc: "Pods only: one that is recreated is evicted, so that it waits while a PodDisruptionBudget allows none to go. Otherwise it is deleted"},
		{Name: "inPlace", value: distinctList(&c.InPlace, quoteShort, func(p *string) value { return formedText(p, &inPlaceForm) }),
			Doc: "paths of labels and annotations that are applied in place and at once, whatever `update` does with the rest of a change: `.metadata.labels`, `.metadata.annotations`, or single ones such as `.metadata.labels.role`. A dot in a name is written as `\\.`"},
		{Name: "adopt", value: wordOr(AdoptNever, &c.Adopt, AdoptNever, AdoptIfUnowned, AdoptForce, AdoptAsItIs),
			Doc: "what happens to an object that has the name of a child and is not the parent's. `Never`: it is left alone; `IfUnowned`: it becomes a child unless another object controls it; `Force`: it becomes a child; `AsItIs`: as `IfUnowned`, but each field stays as it is until Sync desires that field otherwise than at the adoption"},
		{Name: "pruneOnly", value: trueOrFalseBy(false, &c.PruneOnly), Doc: "Sync no longer returns children of the kind; those that exist are pruned"},
		{Name: "optional", value: trueOrFalseBy(false, &c.Optional), Doc: "the CRD of the kind may be absent, come and go: Sync sees that by `Served` of the snapshot, and a child that it returns nevertheless waits. Otherwise the controller waits for the CRD. It is always so with `pruneOnly`"},
		{Name: "whenDropped", value: wordOr(Delete, &c.WhenDropped, Delete, Orphan),
			Doc: "what happens to a child that Sync no longer returns: `Delete`, or `Orphan`, which leaves the object in the cluster without an owner. " + written},
		{Name: "whenDeleted", value: wordOr(Delete, &c.WhenDeleted, Delete, Orphan), Doc: "what happens when the parent is deleted: `Delete` or `Orphan`. " + written},
		{Name: "whenImmutable", value: wordOr(FailIfImmutable, &c.WhenImmutable, FailIfImmutable, RecreateIfImmutable),
			Doc: "what happens when a change is refused since the field cannot change. `Fail`: the parent is not ready and says why; `Recreate`: the child is deleted and created again"},
		{Name: "whenRecreated", value: wordOr(DeleteDependents, &c.WhenRecreated, DeleteDependents, OrphanDependents),
			Doc: "what happens to the dependents of a child that is deleted and created again, such as the Pods of a StatefulSet. `DeleteDependents`: the garbage collector deletes them; `OrphanDependents`: they stay, and the new child adopts them"},
		{Name: "handOver", value: distinctList(&c.HandOver, quoteShort, func(p *string) value { return formedText(p, &handOverForm) }),
			Doc: "paths of fields that a child keeps when Sync leaves them out, such as `.spec.replicas` for an autoscaler. A dot in a name is written as `\\.`; a path ends at a list at the latest. Without it, a field that Sync stops setting gets its default"},
		{Name: "keepDesired", value: trueOrFalseBy(false, &c.KeepDesired),
			Doc: "an annotation of each child keeps what Sync desired of it, at most 64 KiB. Sync reads it by `Desired` of the snapshot, and can change a part of it"},
		{Name: "readyWhen", Absent: "as the kind usually is", value: ruleText(&c.ReadyWhen), Doc: "CEL rule over `self`, the child, that says when it is ready"},
		{Name: "partOfReady", value: trueOrFalseBy(true, &partOfReady), Doc: "the parent is ready only if the children are. `false`: whether they are or not, as for a backup that runs every night"},
		{Name: "finishedWhen", Absent: "a Job that is complete or has failed, a Pod that succeeded or failed", value: ruleText(&c.FinishedWhen), Doc: "CEL rule over `self`, the child, that says when it has finished"},
		{Name: "history", Absent: "none", value: nestedMapping(&c.History, historyMapping), Doc: "how many finished children stay that Sync no longer returns; those that have not finished stay, too. Without it all of them are pruned"},
		{Name: "namespaces", Absent: "the parent's own, and `Any` for a parent in no namespace", value: childNamespaces(&c.Namespaces),
			Doc: "where children may be. For a parent in a namespace: there, and also in those of a list, or in `Any`. For a parent in no namespace: only in those of a list. A desired child elsewhere is an error"},
		{Name: "allowDisconnect", value: trueOrFalseBy(true, &allowDisconnect),
			Doc: "the annotation `<group>/disconnect` of the parent orphans the children. `false`: they stay the parent's, and go with it"},
		{Name: "cache", value: wordOr(CacheFull, &c.Cache, CacheFull, CacheMetadata),
			Doc: "what is kept of the children in memory: whole objects (`full`), or their `metadata` alone, which is all that Sync sees of them then"},
	}...), renamed: renamedChildKeys, rules: childRules, finish: func(d *decoder, n *yaml.Node, path string) {
		c.setGoField(d, n, path)
		c.ForbidDisconnect, c.NotPartOfReady = !allowDisconnect, !partOfReady
		d.checkHistory(c, path)
		d.checkEvict(c, n, path)
	}}
}

// historyMapping returns the keys of a history.
func historyMapping(h *History) Mapping {
	return Mapping{Name: "history", Keys: []Key{
		{Name: "succeeded", value: integerUpTo(&h.Succeeded, math.MaxInt32), Doc: "of those that are ready, such as a Job that is complete, the latest"},
		{Name: "failed", value: integerUpTo(&h.Failed, math.MaxInt32), Doc: "of the others, the latest"},
	}}
}

// checkHistory adds a problem for a history of children of which nothing says when they have finished.
func (d *decoder) checkHistory(c *Child, path string) {
	knows := c.group() == "batch" && c.Kind == "Job" || c.group() == "" && c.Kind == "Pod"
	if c.History != nil && c.FinishedWhen.Text == "" && !knows && c.Kind != "" {
		d.failAt(c.Pos, joinPath(path, "history"), "nothing says when a "+c.Kind+" has finished", "add finishedWhen: a CEL rule over self")
	}
}

// checkEvict adds a problem for the eviction of children that are no Pods.
func (d *decoder) checkEvict(c *Child, n *yaml.Node, path string) {
	isPod := c.group() == "" && c.Kind == "Pod"
	if key, _ := lookupKey(n, "evict"); c.Evict && !isPod && !c.PruneOnly && c.Kind != "" {
		d.fail(key, joinPath(path, "evict"), c.Kind+" of "+c.APIVersion+" cannot be evicted", "only a Pod of v1 can: leave the key out")
	}
}

var renamedChildKeys = map[string]string{"retired": "pruneOnly"}

var (
	coreVersion = lazyregexp.New(`^[^/]*$`)
	rbacVersion = lazyregexp.New(`^rbac\.authorization\.k8s\.io/`)
	crdVersion  = lazyregexp.New(`^apiextensions\.k8s\.io/`)
)

// childRules exclude keys that have no effect together with others, and require an explicit choice
// for children whose deletion loses data.
var childRules = []rule{
	{when: []condition{isTrueAt("pruneOnly")}, excludes: []string{"as", "update", "maxUnavailable", "evict", "inPlace", "adopt", "optional", "whenImmutable", "whenRecreated", "handOver", "keepDesired", "readyWhen", "partOfReady", "finishedWhen", "history", "cache"},
		hint: hintText("children of the kind are only pruned: leave the key out")},
	{when: []condition{isOneOf("update", CreateOnly)}, excludes: []string{"whenImmutable", "handOver", "inPlace"},
		hint: hintText("nothing of such a child is ever changed: leave the key out")},
	{when: []condition{isOneOf("update", OnDelete)}, excludes: []string{"whenImmutable"},
		hint: hintText("a change waits until somebody deletes the child: leave the key out, or write update: Recreate")},
	{when: []condition{isOneOf("update", Recreate, RollingRecreate)}, excludes: []string{"whenImmutable"},
		hint: hintText("every change recreates the child: leave the key out")},
	{when: []condition{isOneOf("cache", CacheMetadata)}, excludes: []string{"keepDesired", "readyWhen", "finishedWhen", "history"},
		hint: hintText("no more than metadata would be known: leave cache out")},
	{when: []condition{isOneOf("cache", CacheMetadata), isOneOf("update", RollingInPlace, RollingRecreate)}, excludes: []string{"update"},
		message: func(_, value string) string { return value + " does not go with cache: metadata" },
		hint:    hintText("it waits until children are ready, and metadata does not tell: leave cache out")},
	noMaxUnavailable(noKey("update")), noMaxUnavailable(isOneOf("update", InPlace, Recreate, OnDelete, CreateOnly)),
	noKeepDesired(coreVersion, "an annotation would reveal the values: leave the key out", "Secret"),
	noKeepDesired(rbacVersion, "whoever may annotate it could grant permissions by that: leave the key out", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"),
	noSecretAsItIs(noKey("update")), noSecretAsItIs(isOneOf("update", InPlace, Recreate, OnDelete, RollingInPlace, RollingRecreate)),
	{when: []condition{{key: "apiVersion", pattern: coreVersion}, isOneOf("kind", "PersistentVolumeClaim", "Namespace")},
		requires: []string{"whenDropped", "whenDeleted"}, hint: deletionHint},
	{when: []condition{{key: "apiVersion", pattern: crdVersion}, isOneOf("kind", "CustomResourceDefinition")},
		requires: []string{"whenDropped", "whenDeleted"}, hint: deletionHint},
}

// noMaxUnavailable excludes a limit of children that do not roll.
func noMaxUnavailable(update condition) rule {
	return rule{
		when: []condition{update}, excludes: []string{"maxUnavailable"},
		message: func(string, string) string { return "nothing is limited by it without a rolling update" },
		hint:    hintText("add update: RollingInPlace or update: RollingRecreate; where Sync alone sets the strategy, call SetMaxUnavailable there"),
	}
}

// noSecretAsItIs excludes Secrets that are adopted as they are and may be changed later.
func noSecretAsItIs(update condition) rule {
	return rule{
		when:     []condition{{key: "apiVersion", pattern: coreVersion}, isOneOf("kind", "Secret"), isOneOf("adopt", AdoptAsItIs), update},
		excludes: []string{"adopt"},
		message:  func(_, value string) string { return value + " does not go with kind: Secret" },
		hint:     hintText("an annotation would reveal the values: write adopt: IfUnowned, or add update: CreateOnly to never change the Secret"),
	}
}

// noKeepDesired excludes kinds whose annotations more people may read or write than the rest of an object.
func noKeepDesired(version func() *regexp.Regexp, hint string, kinds ...string) rule {
	return rule{
		when: []condition{isOneOf("kind", kinds...), {key: "apiVersion", pattern: version}, isTrueAt("keepDesired")}, excludes: []string{"keepDesired"},
		hint: hintText(hint),
	}
}

func deletionHint(key, kind string) string {
	return "deleting a " + kind + " loses data, so choose explicitly: " + key + ": Orphan, or " + key + ": Delete"
}

// namespacesAny allows children of a namespaced parent in every namespace.
const namespacesAny = "Any"

// childNamespaces accepts Any, or a list of namespaces.
func childNamespaces(into *[]string) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			if n.Kind == yaml.SequenceNode {
				d.decodeNamespaceList(n, path, into, namespacesAny)
				return
			}
			text, ok := d.decodeText(n, path)
			switch {
			case !ok:
			case text == namespacesAny:
				*into = []string{AllNamespaces}
			case text == namespacesParent:
				d.fail(n, path, "Parent is not accepted", "the namespace of the parent is always among them: leave the key out")
			case isNamespace(text):
				d.fail(n, path, quoteShort(text)+" is not accepted", "for the namespace of this name write a list: ["+text+"]")
			default:
				d.fail(n, path, quoteShort(text)+" is not accepted", "accepted: Any, or a list of names")
			}
		},
		schema: func(*Language) *jsonschema.Schema {
			return jsonschema.Either(jsonschema.Words(namespacesAny), "array", namespaceListSchema())
		},
	}
}

// checkOwnChildren adds a problem for a child of the parent's own kind: each object would create
// the next one.
func (d *decoder) checkOwnChildren(api *API) {
	if api.Operator == nil {
		return
	}
	for i, c := range api.Operator.Children {
		if c.Kind != "" && c.Kind == api.Names.Kind && c.group() == api.Group {
			d.failAt(c.Pos, indexPath("operator.children", i), c.Kind+" cannot be its own child", "")
		}
	}
}

// checkParentChildren adds a problem for a child whose kind is also a parent: each object would
// create the next one.
func (d *decoder) checkParentChildren(c *Controller) {
	for i, child := range c.Operator.Children {
		same := func(p Parent) bool { return p.Kind != "" && p.groupKind() == child.groupKind() }
		if !child.PruneOnly && slices.ContainsFunc(c.Parents, same) {
			d.failAt(child.Pos, indexPath("operator.children", i), child.Kind+" is also a kind of parents: each child would get children of its own",
				"leave it out here; labels and annotations of the parents themselves are set with parentMetadata: true")
		}
	}
}
