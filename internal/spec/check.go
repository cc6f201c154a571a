package spec

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// Check returns the problems of several files together: kinds, plurals and short names that two
// files have, and APIs and controllers that do not fit their project. p is nil outside of a
// project. Check expects values without problems of their own.
func Check(p *Project, apis []*Summary, controllers []*Controller) Problems {
	c := checker{seen: map[string]Pos{}}
	for _, api := range apis {
		if !c.claimKind(api) {
			continue // the rest would repeat it
		}
		c.claimOtherNames(api)
		c.claimGoTypes(api)
		c.claimOperatorFolder(api, apis)
	}
	for _, controller := range controllers {
		c.checkControllerFile(controller)
	}
	c.checkCycles(apis, controllers)
	if p != nil {
		c.checkProject(p, apis)
		c.checkControllerGroups(p, apis, controllers)
	}
	return c.problems
}

// checker has the names in use so far, with the position of each, and the problems.
type checker struct {
	seen     map[string]Pos
	problems Problems
}

func (c *checker) fail(pos Pos, path, message, hint string) {
	c.problems = append(c.problems, Problem{Pos: pos, Path: path, Message: message, Hint: hint})
}

// claimName adds a name to those in use. Names are unique for a sort, such as kind, within a scope,
// such as an API group; case does not matter. It adds a problem and returns false if the name is in
// use.
func (c *checker) claimName(sort, space, name string, pos Pos, path, hint string) bool {
	key := sort + " " + space + " " + strings.ToLower(name)
	if first, ok := c.seen[key]; ok {
		c.fail(pos, path, "the "+sort+" "+quoteShort(name)+" is taken by "+first.String(), hint)
		return false
	}
	c.seen[key] = pos
	return true
}

// claimKind claims the kind of an API in its group.
func (c *checker) claimKind(api *Summary) bool {
	return c.claimName("kind", api.Group, api.Names.Kind, api.PositionOf("names.kind"), "names.kind", "a kind has one file")
}

// claimOtherNames claims the other names by which Kubernetes and kubectl know a kind. The API server
// would refuse the second CRD, or not serve it.
func (c *checker) claimOtherNames(api *Summary) {
	if api.Names.ListKind != "" {
		c.claimName("kind", api.Group, api.Names.ListKind, api.PositionOf("names.listKind"), "names.listKind", "set names.listKind")
	}
	c.claimName("resource", api.Group, api.Names.Plural, api.PositionOf("names.plural"), "names.plural", "set names.plural")
	if api.Names.Singular != "" && api.Names.Singular != api.Names.Plural {
		c.claimName("resource", api.Group, api.Names.Singular, api.PositionOf("names.singular"), "names.singular", "set names.singular")
	}
	for i, short := range api.Names.ShortNames {
		path := indexPath("names.shortNames", i)
		c.claimName("short name", "", short, api.PositionOf(path), path, "kubectl could not tell them apart")
	}
}

// claimGoTypes claims the Go types that a kind declares in the packages of its versions.
func (c *checker) claimGoTypes(api *Summary) {
	for _, v := range api.Versions {
		for _, suffix := range []string{"", "List", "Spec", "Status"} {
			c.claimName("Go type", api.Group+"/"+v.Name, api.Names.GoKind+suffix, api.PositionOf("names.kind"), "names.kind", "choose another kind")
		}
	}
}

// claimOperatorFolder claims the folder of a kind's operator. If kinds of two groups have the same
// name, it also reserves internal/<kind>: one of them may have been generated there before there
// were two.
func (c *checker) claimOperatorFolder(api *Summary, all []*Summary) {
	if api.Operator == nil {
		return
	}
	folder := "internal/" + strings.ToLower(api.Names.Kind)
	if SharesFolder(api, all) {
		c.seen["folder  "+folder] = api.PositionOf("names.kind")
		return
	}
	c.claimName("folder", "", folder, api.PositionOf("names.kind"), "names.kind", "two kinds of a group that have an operator need different names")
}

// SharesFolder reports whether another API has an operator for a kind of the same name in another
// group, so that internal/<kind> is not unique.
func SharesFolder(api *Summary, all []*Summary) bool {
	return api.Operator != nil && slices.ContainsFunc(all, func(other *Summary) bool {
		return other.Operator != nil && other.Group != api.Group && strings.EqualFold(other.Names.GoKind, api.Names.GoKind)
	})
}

// checkProject checks APIs against the settings of their project.
func (c *checker) checkProject(p *Project, apis []*Summary) {
	for _, api := range apis {
		if first := apis[0]; !p.Multigroup && api.Group != first.Group {
			c.fail(api.PositionOf("group"), "group", api.Group+" would share Go packages with "+first.Group+" of "+first.File,
				"write multigroup: true in "+p.File+", or use one group")
		}
		if p.Watch == WatchNamespace && api.Scope == Cluster && api.Operator != nil {
			c.fail(api.PositionOf("scope"), "scope", "an operator with watch: namespace cannot see cluster-scoped objects",
				"write watch: cluster in "+p.File)
		}
	}
}

// checkControllerFile claims the folder of a controller, and checks that its file has the
// controller's name.
func (c *checker) checkControllerFile(controller *Controller) {
	if want := controller.Name + ".yaml"; path.Base(controller.File) != want {
		c.fail(controller.PositionOf("name"), "name", quoteShort(controller.Name)+" is not the name of the file",
			"call the file controllers/"+want+", so that each controller is found by its name")
	}
	c.claimName("folder", "", "internal/"+controller.Package(), controller.PositionOf("name"), "name", "choose another name")
}

// maxOperatorGroup is how long the API group of an operator's parents may be. The Lease of the brake is named
// <controller>.<group>-prunes, where a controller has up to 63 characters, and the label of patched objects begins with
// patched.<group>. Kubernetes allows 253 for each.
const maxOperatorGroup = 253 - len("-prunes") - len(".") - 63

// checkControllerGroups checks the group of each controller, with which its labels and its
// finalizer begin. If it were the group of an API, both would use the same finalizer.
func (c *checker) checkControllerGroups(p *Project, apis []*Summary, controllers []*Controller) {
	groups := map[string]*Summary{}
	for _, api := range apis {
		if api.Operator != nil && groups[api.Group] == nil {
			groups[api.Group] = api
		}
	}
	for _, controller := range controllers {
		group, at := controller.Group(p), controller.PositionOf("name")
		switch api := groups[group]; {
		case p.Domain == "":
			c.fail(at, "name", "the labels and the finalizer of a controller begin with its name and the project's domain, and the project has none",
				"write domain: in "+p.File+", such as domain: example.com")
		case len(group) > maxOperatorGroup:
			c.fail(at, "name", group+" has "+strconv.Itoa(len(group))+" characters", "the names of the controller's Lease and labels contain it: choose a name with which it has at most "+strconv.Itoa(maxOperatorGroup))
		case api != nil:
			c.fail(at, "name", "the labels and the finalizer of the controller would begin with "+group+", the group of "+api.File, "choose another name")
		}
	}
}
