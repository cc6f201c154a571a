package spec

import "path"

// checkControllerFile claims the folder of a controller, and holds its name against that of its
// file.
func (c *checker) checkControllerFile(controller *Controller) {
	if want := controller.Name + ".yaml"; path.Base(controller.File) != want {
		c.fail(controller.Place("name"), "name", quoteShort(controller.Name)+" is not the name of the file",
			"call the file controllers/"+want+", so that each controller is found by its name")
	}
	c.claimName("folder", "", "internal/"+controller.Package(), controller.Place("name"), "name", "choose another name")
}

// checkControllerGroups checks the groups that controllers keep their own keys under: under one
// that is an API's, the finalizers of the two would be the same.
func (c *checker) checkControllerGroups(p *Project, apis []*API, controllers []*Controller) {
	groups := map[string]*API{}
	for _, api := range apis {
		if api.Operator != nil && groups[api.Group] == nil {
			groups[api.Group] = api
		}
	}
	for _, controller := range controllers {
		group, at := controller.Group(p), controller.Place("name")
		switch api := groups[group]; {
		case p.Domain == "":
			c.fail(at, "name", "the labels and the finalizer of a controller begin with its name and the project's domain, and the project has none",
				"write domain: in "+p.File+", such as domain: example.com")
		case !isSubdomain(group):
			c.fail(at, "name", group+" has more than 253 characters", "the controller's labels and finalizer begin with it: choose a shorter name")
		case api != nil:
			c.fail(at, "name", "the labels and the finalizer of the controller would begin with "+group+", the group of "+api.File, "choose another name")
		}
	}
}
