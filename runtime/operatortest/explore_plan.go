package operatortest

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// explorationPlan has the trials of an exploration.
type explorationPlan struct {
	trials      []*trial // that change a child, or copy it
	lives       []*trial
	quotas      []*trial
	planted     []*trial
	terminating []*trial
}

// all returns all trials.
func (p explorationPlan) all() []*trial {
	return slices.Concat(p.lives, p.trials, p.quotas, p.planted, p.terminating)
}

// planTrials creates one parent of each variant. It returns the trials that the extent of the
// exploration and the flags of go test select.
func planTrials(x *exploration) (plan explorationPlan) {
	x.t.Helper()
	var parents []*exploredParent
	for variant := range x.life.Parents {
		parents = append(parents, &exploredParent{variant: variant})
	}
	eachInParallel(x, parents, createParent)
	if reason := awaitRoundSettled(x); reason != "" {
		x.t.Fatalf("the operator does not settle: %s\n%s", reason, describeRequests(x.c, 0))
	}
	var children []trial
	chosen := &selection{extent: x.extent, seed: x.seed, seen: map[string]bool{}}
	requireChildren(x, parents)
	for _, h := range parents {
		x.siblings = append(x.siblings, map[string]*unstructured.Unstructured{})
		x.samples = append(x.samples, map[string]map[string]any{})
		x.usual = append(x.usual, liveParent(x, h))
		for _, d := range x.author.childrenOf(h.object.GetUID()) {
			s := &exploredChild{trial: &trial{variant: h.variant, childName: nameInRound(d, h.object.GetName())}, parent: h, child: d}
			if planChild(x, s); s.before == nil {
				continue
			}
			like := trial{variant: h.variant, childName: s.trial.childName, resource: s.resource}
			isFirst := !slices.ContainsFunc(children, func(other trial) bool { return other.variant == like.variant })
			children = append(children, like)
			plan.addChild(x, s, like, isFirst, chosen)
		}
	}
	plan.lives = planLives(x, children)
	isLeftOut := func(one *trial) bool { return !isTestSelected(x.t, one.name()) }
	for _, trials := range []*[]*trial{&plan.trials, &plan.quotas, &plan.planted, &plan.terminating} {
		*trials = slices.DeleteFunc(*trials, isLeftOut)
	}
	return plan
}

// planChild reads a child, and keeps what later trials need of it.
func planChild(x *exploration, s *exploredChild) {
	if err := findChild(x, s); err != nil {
		x.t.Fatal(err)
	}
	if s.before = readChild(x, s.child); s.before == nil {
		x.t.Logf("%s is left out: Sync desires it, and it is not made yet", s.childName)
		return
	}
	x.siblings[s.parent.variant][s.trial.childName] = s.before
	x.samples[s.parent.variant][s.trial.childName] = s.desired
	var err error
	if s.resource, err = resourceOf(x, s.before); err != nil {
		x.t.Fatal(err)
	}
}

// addChild adds the trials for one child but for its lives. A short exploration has a quota for the
// first child of a parent alone.
func (p *explorationPlan) addChild(x *exploration, s *exploredChild, like trial, isFirst bool, chosen *selection) {
	p.trials = append(p.trials, planMutations(x, s, chosen)...)
	p.trials = append(p.trials, chosen.planLookalikes(like, copier)...)
	if s.before.GetNamespace() == x.c.Namespace && (isFirst || x.extent != short) {
		p.quotas = append(p.quotas, planQuotas(like, x.extent)...)
	}
	if x.isPlaceable(s) {
		p.planted = append(p.planted, chosen.planLookalikes(like, planter)...)
	}
	if s.parent.object.GetNamespace() != "" {
		p.terminating = append(p.terminating, planTerminations(like, x.extent)...)
	}
}

// planMutations returns the trials in which a foreign writer or the author changes a child.
func planMutations(x *exploration, s *exploredChild, chosen *selection) (trials []*trial) {
	for _, who := range []string{foreignWriter, author} {
		s.who = who
		for _, m := range chosen.sampleMutations(plannedMutations(x, s), who) {
			like := *newTrial(s, m, setup{})
			var fits []string
			for _, way := range ways {
				if m.fits(way, s.before) {
					fits = append(fits, way)
				}
			}
			trials = append(trials, chosen.chooseTrials(like, setupsFor(who, fits))...)
		}
	}
	if all := plannedMutations(x, s); x.extent == short {
		if i := slices.IndexFunc(all, func(m alteration) bool { return m.isGrown }); i >= 0 {
			s.who = foreignWriter
			trials = append(trials, newTrial(s, all[i], unnoticedSetup()))
		}
	}
	return trials
}

// newTrial returns a trial for a child.
func newTrial(s *exploredChild, m alteration, in setup) *trial {
	one := *s.trial
	one.mutationName, one.family, one.path = nameIn(m, s.parent.object.GetName()), m.family, m.at.String()
	one.way, one.state, one.time = in.way, in.state, in.time
	return &one
}
