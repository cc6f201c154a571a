package apply

// Strategy says how a change reaches an existing child.
type Strategy string

// The strategies, as package operator describes them.
const (
	InPlace    Strategy = "InPlace"
	Recreate   Strategy = "Recreate"
	OnDelete   Strategy = "OnDelete"
	CreateOnly Strategy = "CreateOnly"
)

// StrategyRules say what a strategy does to a child that exists.
type StrategyRules struct {
	// CarriesHash annotates the child with the hash of the desired state that was written last.
	CarriesHash bool
	// RepairsDrift writes a child that no longer has the desired state it was written with.
	RepairsDrift bool
	// WritesChanges writes a child when its desired state changes.
	WritesChanges bool
	// Recreates deletes and creates the child where another strategy changes it.
	Recreates bool
}

var strategyRules = map[Strategy]StrategyRules{
	InPlace:    {CarriesHash: true, RepairsDrift: true, WritesChanges: true},
	Recreate:   {CarriesHash: true, RepairsDrift: true, WritesChanges: true, Recreates: true},
	OnDelete:   {CarriesHash: true, RepairsDrift: true},
	CreateOnly: {},
}

// Rules returns what the strategy does. An empty strategy is InPlace.
func (s Strategy) Rules() StrategyRules {
	if s == "" {
		return strategyRules[InPlace]
	}
	return strategyRules[s]
}
