// Package rolling says whose turn it is in a rolling update.
package rolling

// Member is a child that takes part in a rolling update, as it was observed.
type Member struct {
	IsHealthy    bool // it exists and is healthy
	IsOutdated   bool // it exists and lacks the change
	KeepsVersion bool // the change does not reach it: Sync says so, or its strategy
	IsLast       bool // its turn comes after that of the others
}

// FindTurns returns the indexes of the members whose turn it is. The members are in the order of the update,
// but for those that are last, and at most limit of them may be down: unhealthy, missing, or about to be
// changed.
//
//	those that have the change and are not healthy   each takes one of the limit
//	outdated ones that are not healthy               get the change first: they are down anyway
//	outdated ones that are healthy                   get it while fewer than the limit are down
//
// The first row holds even if no member is healthy: all of them may be unhealthy for a moment,
// while the change is broken for good. Members that get healthy only together are for the
// author to recreate, with RecreateIf.
func FindTurns(members []Member, limit int) (turns []int) {
	broken, down := 0, 0
	for _, m := range members {
		if !m.IsHealthy {
			down++
		}
		if !m.IsHealthy && !m.IsOutdated {
			broken++
		}
	}
	order := orderOf(members)
	for _, i := range order {
		m := members[i]
		if m.IsOutdated && !m.IsHealthy && !m.KeepsVersion && broken+len(turns) < limit {
			turns = append(turns, i)
		}
	}
	for _, i := range order {
		m := members[i]
		if m.IsOutdated && m.IsHealthy && !m.KeepsVersion && down < limit {
			turns = append(turns, i)
			down++
		}
	}
	return turns
}

// orderOf returns the indexes of the members, those that are last after the others.
func orderOf(members []Member) (order []int) {
	for _, isLast := range []bool{false, true} {
		for i, m := range members {
			if m.IsLast == isLast {
				order = append(order, i)
			}
		}
	}
	return order
}
