package spec

import "strings"

// makers are who makes which kinds: for each kind of parents its children, and where the file says
// so.
type makers struct {
	made  map[string][]string
	names []string // of the parents, each once, in the order of the files
	at    map[string]Pos
}

// checkCycles reports kinds that make one another: each object would lead to the next without an
// end. A kind that is its own child is an error in its file alone.
func (c *checker) checkCycles(apis []*Summary, controllers []*Controller) {
	m := makers{made: map[string][]string{}, at: map[string]Pos{}}
	for _, api := range apis {
		if api.Operator != nil {
			m.addOperator(api.GroupKind(), api.Operator, api.Place("operator.children"))
		}
	}
	for _, controller := range controllers {
		for _, p := range controller.Parents {
			m.addOperator(p.groupKind(), controller.Operator, controller.Place("operator.children"))
		}
	}
	reported := map[string]bool{}
	for _, name := range m.names {
		way := m.wayBack(name, name, map[string]bool{})
		if way == nil || reported[name] {
			continue
		}
		for _, kind := range way {
			reported[kind] = true
		}
		c.fail(m.at[name], "operator.children", "make one another without an end: "+strings.Join(append([]string{name}, way...), " makes "),
			"leave one of them out, or write pruneOnly: true")
	}
}

// addOperator notes what the operator of a kind makes; one kind may have several.
func (m *makers) addOperator(parent string, op *Operator, pos Pos) {
	if _, known := m.at[parent]; !known {
		m.names, m.at[parent] = append(m.names, parent), pos
	}
	for _, child := range op.Children {
		if !child.PruneOnly {
			m.made[parent] = append(m.made[parent], child.groupKind())
		}
	}
}

// wayBack returns the kinds that lead from one kind to a goal, the goal being the last; nil when
// there is no way.
func (m *makers) wayBack(from, goal string, seen map[string]bool) []string {
	for _, next := range m.made[from] {
		if next == goal {
			return []string{goal}
		}
		if seen[next] {
			continue
		}
		seen[next] = true
		if way := m.wayBack(next, goal, seen); way != nil {
			return append([]string{next}, way...)
		}
	}
	return nil
}
