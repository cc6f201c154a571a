package operator_test

import (
	"fmt"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// What runs already is adopted without a restart, and is changed where Sync desires it otherwise than then.
func ExampleDesiredSet_Add_adoptAsItIs() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		want.Deployments.Add(deploymentFor(shop), operator.AdoptAsItIs)
	}), tea(nil))
	// Output:
	// Deployment tea, AsItIs
}

// A name that somebody else's object has is left to it.
func ExampleSnapshot_NameConflict() {
	show(wanting(func(shop *Shop, req *shopRequest, want *shopDesired) {
		secret := secretFor(shop)
		if req.Children.Secrets.NameConflict(secret.Name) {
			return // the owner of the shop has made one
		}
		want.Secrets.Add(secret)
	}), tea(nil))
	// Output:
	// Secret tea
}

func ExampleSnapshot_WithNameConflicts() {
	secrets := operator.NewSnapshot(secretFor(tea(nil).Parent)).WithNameConflicts("coffee")
	fmt.Println(secrets.NameConflict("tea"), secrets.NameConflict("coffee"), secrets.NameConflict("milk"))
	// Output:
	// false true false
}
