package explore

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/fault"
)

// Who acts in a trial.
const (
	foreignWriter = "foreign"
	author        = "author"
	copier        = "copier"  // creates copies of a child
	planter       = "planter" // creates what looks like a child in another namespace
	quota         = "quota"   // refuses creations for a time
	deleter       = "deleter" // deletes the namespace of the parent
	relatedWriter = "related" // changes a related object
)

// The states that a child is in before.
const (
	asCreated = "created"
	asChanged = "changed"       // once by Sync
	asTouched = "touched"       // by another field manager
	asShared  = "many managers" // by more than ten
	asWiped   = "wiped"         // managedFields are gone
)

// The times at which somebody acts.
const (
	running     = "running"      // the operator has nothing else to do
	down        = "down"         // the operator is stopped, and started afterwards
	beforeWrite = "before write" // between the operator's read and its write of the child
	afterCreate = "after create" // between the operator's creation of the child and the answer
)

// trial is one case of an exploration.
type trial struct {
	variant      int    // of parents
	childName    string // "Deployment *", where * is the parent's name
	who          string
	mutationName string
	family       string
	path         string
	way          string // of a foreign writer
	state        string
	time         string
	fault        fault.Fault // in a life
	resource     string      // of the child

	skipped  string   // why it could not be made
	problems []string // what was wrong then
	ready    string   // what the parent's Ready condition said in that case
}

// name returns the trial's name as a subtest.
func (t *trial) name() string {
	parts := []string{t.childName, t.who, t.mutationName}
	if t.way != "" {
		parts = append(parts, t.way)
	}
	if t.state != "" {
		parts = append(parts, t.state, t.time)
	}
	return strings.ReplaceAll(strings.Join(parts, "/"), " ", "_")
}

// setup is a way, a state and a time.
type setup struct{ way, state, time string }

// sameOwnersSetup returns the setup that keeps the owners of all fields, so that only values differ.
func sameOwnersSetup() setup { return setup{sameManagerPut, asCreated, running} }

// setupsFor returns the setups in which a mutation is possible.
func setupsFor(who string, fits []string) (all []setup) {
	states, times := []string{asCreated, asChanged, asTouched}, []string{running, down, beforeWrite, afterCreate}
	if who == author {
		fits, states, times = []string{""}, append(states, asShared, asWiped), times[:2]
	}
	for _, way := range fits {
		for _, state := range states {
			for _, time := range times {
				if time != afterCreate || state == asCreated {
					all = append(all, setup{way, state, time})
				}
			}
		}
	}
	return all
}

// selection chooses the trials of an exploration.
type selection struct {
	extent string // short, all or exhaustive
	seed   string
	seen   map[string]bool // pairs of a family with a way, a state and a time that were chosen
}

// chooseTrials returns the trials of one mutation. like has their other fields.
func (s *selection) chooseTrials(like trial, all []setup) (chosen []*trial) {
	if s.extent != exhaustive {
		all = []setup{s.bestSetup(like, all)}
	}
	for _, one := range all {
		made := like
		made.way, made.state, made.time = one.way, one.state, one.time
		chosen = append(chosen, &made)
	}
	return chosen
}

// bestSetup returns the setup with the most pairs that were not chosen yet.
func (s *selection) bestSetup(like trial, all []setup) setup {
	most, rank := -1, uint32(0)
	var best setup
	for _, one := range all {
		fresh := 0
		for _, pair := range s.pairNames(like, one) {
			if !s.seen[pair] {
				fresh++
			}
		}
		order := s.orderOf(like.childName + like.mutationName + fmt.Sprint(one))
		if fresh > most || fresh == most && order < rank {
			most, rank, best = fresh, order, one
		}
	}
	for _, pair := range s.pairNames(like, best) {
		s.seen[pair] = true
	}
	return best
}

func (s *selection) pairNames(like trial, one setup) []string {
	of := like.childName + "/" + like.who + "/"
	return []string{
		of + like.family + "/" + one.way, of + like.family + "/" + one.state, of + like.family + "/" + one.time,
		of + one.way + "/" + one.state, of + one.way + "/" + one.time, of + one.state + "/" + one.time,
	}
}

// orderOf returns a number that is always the same for a text and seed.
func (s *selection) orderOf(text string) uint32 {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(text + s.seed)) // Write returns no error
	return hash.Sum32()
}

// sampleMutations returns the mutations of a short exploration: one of each path in rotation, and
// at least one of each family. The author makes every second one, and removes each item of a list
// whose items have several keys.
func (s *selection) sampleMutations(mutations []alteration, who string) (chosen []alteration) {
	if s.extent != short {
		return mutations
	}
	byPath, paths := map[string][]alteration{}, []string(nil)
	for _, m := range mutations {
		at := m.at.String()
		if byPath[at] == nil {
			paths = append(paths, at)
		}
		byPath[at] = append(byPath[at], m)
	}
	families := map[string]bool{}
	turn := int(s.orderOf("turn") % 2)
	for i, at := range paths {
		if isAuthor := who == author; isAuthor == ((i+turn)%2 == 0) {
			continue
		}
		m := byPath[at][(i+int(s.orderOf("rotation")%16))%len(byPath[at])]
		families[m.family] = true
		chosen = append(chosen, m)
	}
	for _, m := range mutations {
		isChosen := slices.ContainsFunc(chosen, func(other alteration) bool { return other.name() == m.name() })
		if !families[m.family] || who == author && m.removesItemOfManyKeys() && !isChosen {
			families[m.family] = true
			chosen = append(chosen, m)
		}
	}
	return chosen
}

// removesItemOfManyKeys reports whether a mutation removes an item of a list whose items
// have several keys: another item may have some of them.
func (m alteration) removesItemOfManyKeys() bool {
	return m.family == removes && len(m.at) > 0 && m.at.Last().Key != nil && len(*m.at.Last().Key) > 1
}

// The extents of an exploration.
const (
	short      = "short"
	everyPath  = "all"
	exhaustive = "exhaustive"
)

const defaultSeed = "1"

// lifeState is the state of a child in a life.
type lifeState struct {
	gone []types.UID // children that were deleted
	mark int         // number of requests that the operator had sent before
	late string      // what the operator has yet to do
}
