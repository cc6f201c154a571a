package apply

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

func secret(value string) client.Object {
	return named(&corev1.Secret{Data: map[string][]byte{"password": []byte(value)}})
}

// The hash of a Secret does not cover its data, but changes of the data are found.
func TestHashOfASecret(t *testing.T) {
	one, two := secret("one"), secret("two")
	for _, metadata := range []bool{false, true} {
		for _, restart := range []bool{false, true} {
			for _, strategy := range []declared.UpdateStrategy{declared.InPlace, declared.Recreate, declared.OnDelete} {
				t.Run(fmt.Sprintf("%s, restarted %v, metadata %v", strategy, restart, metadata), func(t *testing.T) {
					c := startServer(t).child(one, Desired{Policies: declared.Policies{Update: strategy}})
					c.Metadata = metadata
					if a, b := c.desired(one), c.desired(two); a.Hash != b.Hash || a.digest == b.digest {
						t.Fatalf("hashes %s and %s, states %s and %s", a.Hash, b.Hash, a.digest, b.digest)
					}
					c.settle(one)
					if restart {
						c.restart()
					}
					outcome := c.settle(two)
					want, data := map[declared.UpdateStrategy]Action{declared.InPlace: Updated, declared.Recreate: NeedsRecreation, declared.OnDelete: Unchanged}[strategy], "dHdv"
					if strategy != declared.InPlace {
						data = "b25l"
					}
					if outcome.Action != want {
						t.Errorf("the child is %s, want %s", outcome.Action, want)
					}
					c.expectAt("after a change", "data.password", data)
					if strategy != declared.Recreate {
						c.settle(two)
						c.made()
						c.settle(two)
						if made := c.made(); made != "" {
							t.Errorf("requests when in sync: %s", made)
						}
					}
				})
			}
		}
	}
}

func TestDriftOfASecret(t *testing.T) {
	for _, strategy := range []declared.UpdateStrategy{declared.InPlace, declared.OnDelete} {
		t.Run(string(strategy), func(t *testing.T) {
			c := startServer(t).child(secret("one"), Desired{Policies: declared.Policies{Update: strategy}})
			c.settle(secret("one"))
			c.drift("data.password", "dGhlaXJz")
			if outcome := c.expect(secret("one"), Updated, "apply 200"); !outcome.Drift {
				t.Error("the drift does not count")
			}
			c.expectAt("in the end", "data.password", "b25l")
		})
	}
}
