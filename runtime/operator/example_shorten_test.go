package operator_test

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// A StatefulSet's name has 52 characters at the most, and the value of a label 63.
func ExampleShorten() {
	for _, name := range []string{"tea", strings.Repeat("tea-and-coffee-", 4) + "shop"} {
		shop, database, labels := &Shop{ObjectMeta: called(name)}, new(appsv1.StatefulSet), map[string]string{}
		database.Name = operator.Shorten(shop.Name+"-db", 52)
		labels["app.kubernetes.io/instance"] = operator.Shorten(shop.Name, 63)
		fmt.Println(database.Name, labels["app.kubernetes.io/instance"])
	}
	// Output:
	// tea-db tea
	// tea-and-coffee-tea-and-coffee-tea-and-coffe-c6d67966 tea-and-coffee-tea-and-coffee-tea-and-coffee-tea-and-c-9c73d7c1
}
