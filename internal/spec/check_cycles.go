package spec

import "strings"

// childGraph has the kinds of children for each kind of parents. A kind may have several operators.
type childGraph struct {
	children  map[string][]string
	parents   []string // of the parents, each once, in the order of the files
	positions map[string]Pos
}

// checkCycles reports kinds that create each other, directly or through others: each object would
// lead to another one, without end. The parser has already reported a kind that is its own child.
func (c *checker) checkCycles(apis []*Summary, controllers []*Controller) {
	g := childGraph{children: map[string][]string{}, positions: map[string]Pos{}}
	for _, api := range apis {
		if api.Operator != nil {
			g.addOperator(api.GroupKind(), api.Operator, api.PositionOf("operator.children"))
		}
	}
	for _, controller := range controllers {
		for _, p := range controller.Parents {
			g.addOperator(p.groupKind(), controller.Operator, controller.PositionOf("operator.children"))
		}
	}
	reported := map[string]bool{}
	for _, name := range g.parents {
		path := g.pathTo(name, name, map[string]bool{})
		if path == nil || reported[name] {
			continue
		}
		for _, kind := range path {
			reported[kind] = true
		}
		c.fail(g.positions[name], "operator.children", "create each other without end: "+strings.Join(append([]string{name}, path...), " creates "),
			"leave one of them out, or write pruneOnly: true")
	}
}

// addOperator adds the children of an operator.
func (g *childGraph) addOperator(parent string, op *Operator, pos Pos) {
	if _, known := g.positions[parent]; !known {
		g.parents, g.positions[parent] = append(g.parents, parent), pos
	}
	for _, child := range op.Children {
		if !child.PruneOnly {
			g.children[parent] = append(g.children[parent], child.groupKind())
		}
	}
}

// pathTo returns the kinds on a path from one kind to a goal, ending with the goal. It returns nil
// if there is no path.
func (g *childGraph) pathTo(from, goal string, seen map[string]bool) []string {
	for _, next := range g.children[from] {
		if next == goal {
			return []string{goal}
		}
		if seen[next] {
			continue
		}
		seen[next] = true
		if path := g.pathTo(next, goal, seen); path != nil {
			return append([]string{next}, path...)
		}
	}
	return nil
}
