package templates

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// childView is a kind of children as templates print it.
type childView struct {
	resourceView
	Spec          spec.Child
	IsListedTwice bool // another entry has the same kind
}

// Metadata reports whether Sync sees only the metadata of the children.
func (c childView) Metadata() bool { return c.Spec.Cache == spec.CacheMetadata }

// Observed returns the Go type of the objects that Sync gets.
func (c childView) Observed() string {
	if c.Metadata() {
		return metadataType
	}
	return c.Type()
}

// Policies are the policies of the child's kind that are not the defaults.
func (c childView) Policies() string {
	var set []string
	say := func(field, value string) { set = append(set, field+": operator."+value) }
	if !c.Spec.PruneOnly {
		say("Update", string(c.Spec.Update))
	}
	if c.Spec.Adopt != "" && c.Spec.Adopt != spec.AdoptNever {
		say("Adopt", "Adopt"+string(c.Spec.Adopt))
	}
	if c.Spec.WhenDropped == spec.Orphan {
		say("WhenDropped", "Orphan")
	}
	if c.Spec.WhenDeleted == spec.Orphan {
		say("WhenDeleted", "Orphan")
	}
	if c.Spec.WhenImmutable == spec.RecreateIfImmutable {
		say("WhenImmutable", "RecreateIfImmutable")
	}
	if c.Spec.WhenRecreated == spec.OrphanDependents {
		say("WhenRecreated", "OrphanDependents")
	}
	return strings.Join(set, ", ")
}

// Rules are the rules of the child's kind.
func (c childView) Rules() string {
	var set []string
	if c.Spec.ReadyWhen.Text != "" {
		set = append(set, "ReadyWhen: cel.Rule("+strconv.Quote(c.Spec.ReadyWhen.Text)+")")
	}
	if c.Spec.FinishedWhen.Text != "" {
		set = append(set, "FinishedWhen: cel.Rule("+strconv.Quote(c.Spec.FinishedWhen.Text)+")")
	}
	return strings.Join(set, ", ")
}

// Description are the fields of the child's kind that are not the defaults.
func (c childView) Description() string {
	var set []string
	say := func(field, value string) { set = append(set, field+": "+value) }
	if c.IsListedTwice {
		say("As", strconv.Quote(c.Field))
	}
	if policies := c.Policies(); policies != "" {
		say("Policies", "operator.Policies{"+policies+"}")
	}
	if c.Spec.MaxUnavailable != "" {
		say("MaxUnavailable", strconv.Quote(c.Spec.MaxUnavailable))
	}
	if c.Spec.Evict {
		say("Evict", "true")
	}
	if len(c.Spec.InPlace) > 0 {
		say("InPlace", "[]string{"+namespaceList(c.Spec.InPlace)+"}")
	}
	if len(c.Spec.HandOver) > 0 {
		say("HandOver", "[]string{"+namespaceList(c.Spec.HandOver)+"}")
	}
	if rules := c.Rules(); rules != "" {
		say("Rules", "operator.Rules{"+rules+"}")
	}
	if h := c.Spec.History; h != nil {
		say("History", fmt.Sprintf("&operator.History{Succeeded: %d, Failed: %d}", h.Succeeded, h.Failed))
	}
	if c.Spec.NotPartOfReady {
		say("NotPartOfReady", "true")
	}
	if c.Spec.KeepDesired {
		say("KeepDesired", "true")
	}
	if c.Metadata() {
		say("Metadata", "true")
	}
	if c.Spec.PruneOnly {
		say("PruneOnly", "true")
	}
	if c.Spec.Optional {
		say("Optional", "true")
	}
	if c.Spec.ForbidDisconnect {
		say("ForbidDisconnect", "true")
	}
	switch {
	case c.Spec.ListsNamespaces():
		say("Namespaces", "[]string{"+namespaceList(c.Spec.Namespaces)+"}")
	case len(c.Spec.Namespaces) > 0:
		say("Namespaces", "[]string{operator.AllNamespaces}")
	}
	return strings.Join(set, ", ")
}

// Examples returns statements that desire a child, for the author to complete. Three scopes differ:
//
//   - Parent and child are namespaced: the runtime sets the namespace.
//   - Only the child is namespaced: the statements name a namespace.
//   - Only the parent is namespaced: the child's name includes the namespace, so that parents in two
//
// namespaces do not share a child.
func (v operatorView) Examples(c childView) []string {
	name := v.ParentField("Name")
	if !c.Namespaced && !v.ClusterScoped() {
		name = v.ParentField("Namespace") + ` + "-" + ` + name
	}
	meta, needsNamespace := "Name: "+name, c.Namespaced && v.ClusterScoped()
	if needsNamespace {
		meta += `, Namespace: "default"`
	}
	if c.GoPackage != "" {
		return []string{"want." + c.Field + ".Add(&" + c.alias + "." + c.GoName + "{ObjectMeta: metav1.ObjectMeta{" + meta + "}})"}
	}
	variable := strings.ToLower(c.Kind[:1]) + c.Kind[1:]
	lines := []string{variable + " := " + c.Empty(), variable + ".SetName(" + name + ")"}
	if needsNamespace {
		lines = append(lines, variable+`.SetNamespace("default")`)
	}
	return append(lines, "want."+c.Field+".Add("+variable+")")
}
