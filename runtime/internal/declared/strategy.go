package declared

// UpdateStrategy says how a changed desired state reaches an existing child.
type UpdateStrategy string

// The update strategies, as package operator describes them.
const (
	InPlace         UpdateStrategy = "InPlace"
	Recreate        UpdateStrategy = "Recreate"
	OnDelete        UpdateStrategy = "OnDelete"
	CreateOnly      UpdateStrategy = "CreateOnly"
	RollingInPlace  UpdateStrategy = "RollingInPlace"
	RollingRecreate UpdateStrategy = "RollingRecreate"
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
	// Rolls changes one child of the kind after the other.
	Rolls bool
}

var strategyRules = map[UpdateStrategy]StrategyRules{
	InPlace:         {CarriesHash: true, RepairsDrift: true, WritesChanges: true},
	Recreate:        {CarriesHash: true, RepairsDrift: true, WritesChanges: true, Recreates: true},
	OnDelete:        {CarriesHash: true, RepairsDrift: true},
	CreateOnly:      {},
	RollingInPlace:  {CarriesHash: true, RepairsDrift: true, WritesChanges: true, Rolls: true},
	RollingRecreate: {CarriesHash: true, RepairsDrift: true, WritesChanges: true, Recreates: true, Rolls: true},
}

// Rules returns what the strategy does. An empty strategy is InPlace.
func (u UpdateStrategy) Rules() StrategyRules {
	if u == "" {
		u = InPlace
	}
	return strategyRules[u]
}
