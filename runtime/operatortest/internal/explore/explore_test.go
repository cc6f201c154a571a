package explore

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
)

func TestPatternsSelectCasesAsGoTestDoes(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		expect        bool
	}{
		{"", "TestA/x/y", true},
		{"TestA", "TestA/x/y", true},
		{"TestB", "TestA/x/y", false},
		{"TestA/x", "TestA/x/y", true},
		{"TestA/z", "TestA/x/y", false},
		{"TestA//y", "TestA/x/y", true},
		{"TestA/^x$/^y$", "TestA/x/yy", false},
		{`TestA/a\[name=b\]`, "TestA/a[name=b]/y", true},
		{"TestA/[x/]/y", "TestA/x/y", true},
		{"TestA/x/z|TestB", "TestA/x/y", false},
		{"TestB|TestA/x", "TestA/x/y", true},
		{"TestA/(w|x)/y", "TestA/x/y", true},
		{"TestA/Secret data", "TestA/Secret_data/y", true},
	} {
		if got := matchesPattern(test.pattern, test.name); got != test.expect {
			t.Errorf("pattern %q selects %q: %t", test.pattern, test.name, got)
		}
	}
	name := "Deployment_*/foreign/spec.containers[main].image:_change/put/created/running"
	pattern := replayedCase(t, name)[len("go test -run '"):]
	if !matchesPattern(pattern[:len(pattern)-1], t.Name()+"/"+name) {
		t.Errorf("%s does not select %s", pattern, name)
	}
}

func TestSettingChoosesTheSameCases(t *testing.T) {
	for _, test := range []struct{ extent, seed, expect string }{
		{short, "1", ""},
		{everyPath, "2", "OPGEN_EXPLORE=all OPGEN_EXPLORE_SEED=2 "},
		{exhaustive, "1", "EXHAUSTIVE=1 "},
	} {
		x := &exploration{extent: test.extent, seed: test.seed}
		if got := x.replaySetting(); got != test.expect {
			t.Errorf("the %s exploration with seed %s has the setting %q, want %q", test.extent, test.seed, got, test.expect)
		}
	}
}

func TestEachFamilyIsMadeInEachWayStateAndTime(t *testing.T) {
	chosen := &selection{extent: everyPath, seed: "1", seen: map[string]bool{}}
	seen := map[string]bool{}
	all := setupsFor(foreignWriter, ways)
	for range len(all) {
		for _, one := range chosen.chooseTrials(trial{childName: "ConfigMap *", who: foreignWriter, family: changes}, all) {
			for _, pair := range chosen.pairNames(*one, setup{one.way, one.state, one.time}) {
				seen[pair] = true
			}
		}
	}
	for _, one := range all {
		for _, pair := range chosen.pairNames(trial{childName: "ConfigMap *", who: foreignWriter, family: changes}, one) {
			if !seen[pair] {
				t.Errorf("pair %s was not chosen", pair)
			}
		}
	}
}

func TestSelectsSubtests(t *testing.T) {
	for pattern, want := range map[string]bool{
		"":                              false,
		"^TestExplore$":                 false,
		"^TestExplore$/^ConfigMap_[*]$": true,
		"^TestOther$/^ConfigMap$":       false,
		"TestOther/x|TestExplore":       false,
		"TestOther/x|TestExplore/y":     true,
	} {
		if got := selectsSubtests(pattern, "TestExplore"); got != want {
			t.Errorf("%q: %t", pattern, got)
		}
	}
}

func TestShortExplorationMakesOneLookalikeOfEachChild(t *testing.T) {
	for _, who := range []string{copier, planter} {
		few, all := selection{short, "1", map[string]bool{}}, selection{exhaustive, "1", map[string]bool{}}
		like := trial{childName: "ConfigMap *"}
		if made := few.planLookalikes(like, who); len(made) != 1 || !made[0].makesLookalike() {
			t.Errorf("a short exploration has %d cases of the %s, want one", len(made), who)
		}
		seen := map[string]bool{}
		for _, one := range all.planLookalikes(like, who) {
			seen[one.name()] = true
		}
		if expect := map[string]int{copier: 3 * 2 * 4, planter: 2 * 2 * 4}[who]; len(seen) != expect {
			t.Errorf("an exhaustive exploration has %d cases of the %s, want %d", len(seen), who, expect)
		}
	}
}

func TestRolesSayWhetherAnOperatorWorksInAllNamespaces(t *testing.T) {
	rights, err := instance.ReadRights("../../testdata/roles.yaml", "test", "user")
	if err != nil {
		t.Fatal(err)
	}
	for resource, expect := range map[string]bool{"ledgers": true, "journals": false} {
		if got := areGrantedEverywhere(rights, schema.GroupResource{Group: "operatortest.opgen.dev", Resource: resource}); got != expect {
			t.Errorf("the operator works on %s in all namespaces: %t", resource, got)
		}
	}
}
