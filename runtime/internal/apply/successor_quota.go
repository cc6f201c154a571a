package apply

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// exceedsWithout reports whether a quota is too small for an object even without what old objects use of it. text is what
// the API server says: `NAME, requested: pods=1, used: pods=3, limited: pods=3`.
func exceedsWithout(text string, d Desired, old []client.Object) bool {
	_, text, _ = strings.Cut(text, ", requested: ")
	text, limits, _ := strings.Cut(text, ", limited: ")
	requests, uses, _ := strings.Cut(text, ", used: ")
	requested, used, limited := parseQuantities(requests), parseQuantities(uses), parseQuantities(limits)
	for name, limit := range limited {
		left := used[name]
		left.Add(requested[name])
		for _, object := range old {
			left.Sub(usageOf(object, d, name, requested[name]))
		}
		if left.Cmp(limit) > 0 {
			return true
		}
	}
	return false
}

// parseQuantities reads quantities such as `limits.cpu=2,pods=1`. It leaves out what is none.
func parseQuantities(text string) map[string]resource.Quantity {
	quantities := map[string]resource.Quantity{}
	for pair := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(pair, "=")
		if quantity, err := resource.ParseQuantity(value); err == nil {
			quantities[name] = quantity
		}
	}
	return quantities
}

// usageOf returns how much of a resource an old object uses. Of what it requests by itself, such as requests.cpu, that is
// the sum. Of all else, one of the kind of the desired child uses as much as that requests, and one of another kind
// nothing.
func usageOf(object client.Object, d Desired, name string, requested resource.Quantity) resource.Quantity {
	if kind := object.GetObjectKind().GroupVersionKind().Kind; kind != "" && kind != d.Kind.Kind {
		return resource.Quantity{}
	}
	part, of, isQualified := strings.Cut(name, ".")
	if !isQualified { // as in cpu
		part, of = "requests", name
	}
	content, err := contentOf(object)
	if spec := content["spec"]; err == nil && (part == "requests" || part == "limits") {
		if sum := sumOf(spec, part, of); !sum.IsZero() {
			return sum
		}
	}
	return requested
}

// sumOf returns the sum of a resource in all requests or limits within a value.
func sumOf(value any, part, of string) (sum resource.Quantity) {
	add := func(below any) { sum.Add(sumOf(below, part, of)) }
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			add(item)
		}
	case map[string]any:
		for name, below := range value {
			amounts, _ := below.(map[string]any)
			if quantity, err := resource.ParseQuantity(fmt.Sprint(amounts[of])); name == part && err == nil {
				sum.Add(quantity)
			} else {
				add(below)
			}
		}
	}
	return sum
}
