package declared

import (
	"reflect"
	"testing"
)

// eachPolicy calls check with policies of which one is set, and the name of its field.
func eachPolicy(t *testing.T, check func(t *testing.T, set Policies)) {
	t.Helper()
	for field := range reflect.TypeFor[Policies]().Fields() {
		t.Run(field.Name, func(t *testing.T) {
			var set Policies
			reflect.ValueOf(&set).Elem().FieldByName(field.Name).SetString("Set")
			check(t, set)
		})
	}
}

func TestEmptyPolicyIsThatOfTheKind(t *testing.T) {
	eachPolicy(t, func(t *testing.T, set Policies) {
		if got := set.Or(Policies{}); got != set {
			t.Errorf("a child's own policy: got %+v, want %+v", got, set)
		}
		if got := (Policies{}).Or(set); got != set {
			t.Errorf("the policy of the kind: got %+v, want %+v", got, set)
		}
		other := set.Or(DefaultPolicies)
		if got := other.Or(Policies{}); got != other || reflect.ValueOf(other).FieldByName(t.Name()[len("TestEmptyPolicyIsThatOfTheKind/"):]).String() != "Set" {
			t.Errorf("beside the defaults: got %+v", got)
		}
	})
}

func TestHashCoversEveryPolicy(t *testing.T) {
	seen := map[uint64]Policies{Policies{}.Hash(): {}}
	eachPolicy(t, func(t *testing.T, set Policies) {
		if other, ok := seen[set.Hash()]; ok {
			t.Errorf("%+v has the hash of %+v", set, other)
		}
		seen[set.Hash()] = set
		if same := set; same.Hash() != set.Hash() {
			t.Error("a copy has another hash")
		}
	})
}

func TestEveryKindHasEachPolicy(t *testing.T) {
	defaults := reflect.ValueOf(DefaultPolicies)
	for i := range defaults.NumField() {
		if defaults.Field(i).String() == "" {
			t.Errorf("no default for %s", defaults.Type().Field(i).Name)
		}
	}
}

func TestOptionsOfAChild(t *testing.T) {
	for name, test := range map[string]struct {
		option   ChildOption
		expected Policies
	}{
		"a strategy":              {Recreate, Policies{Update: Recreate}},
		"an adoption policy":      {AdoptForce, Policies{Adopt: AdoptForce}},
		"a policy for immutables": {RecreateIfImmutable, Policies{WhenImmutable: RecreateIfImmutable}},
	} {
		t.Run(name, func(t *testing.T) {
			var set DesiredSet
			set.Add(DesiredChild{}, []ChildOption{test.option})
			if got := set.Children[0].Policies; got != test.expected {
				t.Errorf("got %+v, want %+v", got, test.expected)
			}
		})
	}
}

func TestRulesOfStrategies(t *testing.T) {
	if rules := UpdateStrategy("").Rules(); rules != InPlace.Rules() {
		t.Errorf("an empty strategy is InPlace, got %+v", rules)
	}
	for rolling, other := range map[UpdateStrategy]UpdateStrategy{RollingInPlace: InPlace, RollingRecreate: Recreate} {
		rules := rolling.Rules()
		if !rules.Rolls {
			t.Errorf("%s does not roll", rolling)
		}
		if rules.Rolls = false; rules != other.Rules() {
			t.Errorf("%s: a child whose turn it is is changed as by %s: got %+v", rolling, other, rules)
		}
	}
}
