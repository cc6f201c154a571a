package explore

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// explorationPlan has the trials of an exploration.
type explorationPlan struct {
	trials      []*trial // that change a child, or copy it
	lives       []*trial
	quotas      []*trial
	related     []*trial // that change a related object
	planted     []*trial
	terminating []*trial
}

// all returns all trials.
func (p explorationPlan) all() []*trial {
	return slices.Concat(p.lives, p.trials, p.quotas, p.related, p.planted, p.terminating)
}

// planTrials creates one parent of each variant. It returns the trials that the extent of the
// exploration and the flags of go test select.
func (x *exploration) planTrials() (plan explorationPlan) {
	x.t.Helper()
	for variant := range x.life.Parents {
		x.planned = append(x.planned, &exploredParent{x: x, variant: variant})
	}
	parents := x.planned
	inParallel(parents, (*exploredParent).create)
	if reason := x.awaitRoundSettled(); reason != "" {
		x.t.Fatalf("the operator does not settle: %s\n%s", reason, x.operator.DescribeRequests(0))
	}
	x.awaitReady(parents)
	var children []trial
	chosen := &selection{extent: x.extent, seed: x.seed, seen: map[string]bool{}}
	x.requireChildren(parents)
	for _, p := range parents {
		x.siblings = append(x.siblings, map[string]*unstructured.Unstructured{})
		x.samples = append(x.samples, map[string]map[string]any{})
		x.usual = append(x.usual, p.readUsual())
		for _, d := range x.author.childrenOf(p.object.GetUID()) {
			c := &exploredChild{trial: &trial{variant: p.variant, childName: nameInRound(d, p.object.GetName())}, x: x, parent: p, child: d}
			if c.readBefore(); c.before == nil {
				continue
			}
			like := trial{variant: p.variant, childName: c.trial.childName, resource: c.resource}
			isFirst := !slices.ContainsFunc(children, func(other trial) bool { return other.variant == like.variant })
			children = append(children, like)
			plan.addChild(c, like, isFirst, chosen)
		}
	}
	plan.lives = x.planLives(children)
	for _, p := range parents {
		plan.related = append(plan.related, x.planRelated(p)...)
	}
	isLeftOut := func(one *trial) bool { return !isTestSelected(x.t, one.name()) }
	for _, trials := range []*[]*trial{&plan.trials, &plan.quotas, &plan.related, &plan.planted, &plan.terminating} {
		*trials = slices.DeleteFunc(*trials, isLeftOut)
	}
	return plan
}

// dropPlanned deletes the parents of which the trials were planned.
func (x *exploration) dropPlanned() {
	made := slices.DeleteFunc(x.planned, func(p *exploredParent) bool { return p.object == nil })
	inParallel(made, (*exploredParent).drop)
}

// readBefore reads a child, and keeps what later trials need of it.
func (c *exploredChild) readBefore() {
	if err := c.find(); err != nil {
		c.x.t.Fatal(err)
	}
	if c.before = c.x.readChild(c.child); c.before == nil {
		c.x.t.Logf("%s is left out: Sync desires it, and it is not made yet", c.childName)
		return
	}
	c.x.siblings[c.parent.variant][c.trial.childName] = c.before
	c.x.samples[c.parent.variant][c.trial.childName] = c.desired
	var err error
	if c.resource, err = c.x.resourceOf(c.before); err != nil {
		c.x.t.Fatal(err)
	}
}

// addChild adds the trials for one child but for its lives. A short exploration has a quota for the
// first child of a parent alone.
func (p *explorationPlan) addChild(c *exploredChild, like trial, isFirst bool, chosen *selection) {
	p.trials = append(p.trials, c.planMutations(chosen)...)
	p.trials = append(p.trials, chosen.planLookalikes(like, copier)...)
	if c.before.GetNamespace() == c.x.operator.Namespace && (isFirst || c.x.extent != short) {
		p.quotas = append(p.quotas, like.planQuotas(c.x.extent)...)
	}
	if c.isPlaceable() {
		p.planted = append(p.planted, chosen.planLookalikes(like, planter)...)
	}
	if c.parent.object.GetNamespace() != "" {
		p.terminating = append(p.terminating, like.planTerminations(c.x.extent)...)
	}
}

// planMutations returns the trials in which a foreign writer or the author changes a child.
func (c *exploredChild) planMutations(chosen *selection) (trials []*trial) {
	for _, who := range []string{foreignWriter, author} {
		c.who = who
		for _, m := range chosen.sampleMutations(c.plannedMutations(), who) {
			like := *newTrial(c, m, setup{})
			var fits []string
			for _, way := range ways {
				if m.fits(way, c.before) {
					fits = append(fits, way)
				}
			}
			trials = append(trials, chosen.chooseTrials(like, setupsFor(who, fits))...)
		}
	}
	if all := c.plannedMutations(); c.x.extent == short {
		if i := slices.IndexFunc(all, func(m alteration) bool { return m.isGrown }); i >= 0 {
			c.who = foreignWriter
			trials = append(trials, newTrial(c, all[i], sameOwnersSetup()))
		}
	}
	return trials
}

// newTrial returns a trial for a child.
func newTrial(c *exploredChild, m alteration, in setup) *trial {
	one := *c.trial
	one.mutationName, one.family, one.path = nameIn(m, c.parent.object.GetName()), m.family, m.at.String()
	one.way, one.state, one.time = in.way, in.state, in.time
	return &one
}
