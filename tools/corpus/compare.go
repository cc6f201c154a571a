package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/opgen-dev/opgen/internal/gomodel"
)

// comparison compares an object with what is left of it after it was in its Go type.
type comparison struct {
	model model
	added bool // something zero is there that was not
}

// compareValues returns the first difference of a value that matters, empty when there is none.
func (c *comparison) compareValues(t *gomodel.GoType, in, out any, path string) string {
	plain, declared := c.model.resolveType(t)
	foreign := plain != nil && plain.Shape == gomodel.Name && plain.Package != ""
	switch {
	case plain == nil, foreign && isOpen(plain):
		return c.compareExactly(in, out, path)
	case foreign && isSameCanonically(plain, in, out):
		return ""
	case foreign:
		return c.compareKubernetes(in, out, path)
	}
	switch in := in.(type) {
	case map[string]any:
		out, ok := out.(map[string]any)
		if !ok {
			return lostMessage(path, in)
		}
		return c.compareObjects(plain, declared, in, out, path)
	case []any:
		out, ok := out.([]any)
		if !ok || len(in) != len(out) || plain.Shape != gomodel.List {
			return lostMessage(path, in)
		}
		for i := range in {
			if found := c.compareValues(plain.Elem, in[i], out[i], fmt.Sprintf("%s[%d]", path, i)); found != "" {
				return found
			}
		}
		return ""
	}
	return c.compareExactly(in, out, path)
}

// compareObjects compares the fields of a struct or the keys of a map.
func (c *comparison) compareObjects(plain *gomodel.GoType, declared *gomodel.Type, in, out map[string]any, path string) string {
	isRoot := declared != nil && declared.Object
	for _, key := range slices.Sorted(maps.Keys(in)) {
		t := plain.Elem
		if declared != nil {
			t = fieldByKey(declared, key)
			if key == "metadata" && declared.Object {
				t = &gomodel.GoType{Shape: gomodel.Name, Name: "ObjectMeta", Package: metaPackage}
			}
		}
		value, there := out[key]
		if !there && isRoot && key == "status" && isZeroValue(in[key]) && in[key] != nil {
			continue // an empty status is none
		}
		if !there {
			return lostMessage(path+"."+key, in[key])
		}
		if found := c.compareValues(t, in[key], value, path+"."+key); found != "" {
			return found
		}
	}
	if found := addedParts(isRoot, in, out, path); found != "" {
		return found
	}
	return c.compareAdditions(in, out, path)
}

// addedParts tells of an object, a list or null that is there and was not. The root has its
// metadata and its spec in any case.
func addedParts(isRoot bool, in, out map[string]any, path string) string {
	for _, key := range slices.Sorted(maps.Keys(out)) {
		_, was := in[key]
		always := isRoot && (key == "metadata" || key == "spec")
		if !was && !always && !isScalar(out[key]) {
			return fmt.Sprintf("%s.%s: %s was added", path, key, shortText(out[key]))
		}
	}
	return ""
}

// isScalar reports whether a value is a text, a number or a boolean: zero, these are what a status
// has plainly.
func isScalar(v any) bool {
	switch v.(type) {
	case string, bool, json.Number:
		return true
	}
	return false
}

// compareAdditions tells of what is there that was not, unless it is zero.
func (c *comparison) compareAdditions(in, out map[string]any, path string) string {
	for _, key := range slices.Sorted(maps.Keys(out)) {
		if _, was := in[key]; was {
			continue
		}
		c.added = true
		if !isZeroValue(out[key]) {
			return fmt.Sprintf("%s.%s: %s was added", path, key, shortText(out[key]))
		}
	}
	return ""
}

// compareExactly compares JSON values; numbers by what they are worth.
func (c *comparison) compareExactly(in, out any, path string) string {
	if isEqual(in, out) {
		return ""
	}
	return fmt.Sprintf("%s: %s became %s", path, shortText(in), shortText(out))
}

// compareKubernetes compares values of the types of Kubernetes, which leave out zero values where
// their own authors say that zero and absent are the same.
func (c *comparison) compareKubernetes(in, out any, path string) string {
	switch in := in.(type) {
	case map[string]any:
		out, ok := out.(map[string]any)
		if !ok {
			return lostMessage(path, in)
		}
		for _, key := range slices.Sorted(maps.Keys(in)) {
			value, there := out[key]
			if !there && isEmptyValue(in[key]) {
				continue
			}
			if found := c.compareKubernetes(in[key], value, path+"."+key); found != "" {
				return found
			}
		}
		return c.compareAdditions(in, out, path)
	case []any:
		out, ok := out.([]any)
		if !ok || len(in) != len(out) {
			return lostMessage(path, in)
		}
		for i := range in {
			if found := c.compareKubernetes(in[i], out[i], fmt.Sprintf("%s[%d]", path, i)); found != "" {
				return found
			}
		}
		return ""
	}
	if sameTime(in, out, time.Microsecond) || sameTime(in, out, time.Second) || sameQuantity(in, out) || sameDuration(in, out) {
		return ""
	}
	return c.compareExactly(in, out, path)
}

// isSameCanonically reports whether two values differ only in the form that a type writes them in.
func isSameCanonically(t *gomodel.GoType, in, out any) bool {
	switch {
	case isKubernetesType(t, metaPackage, "Time"):
		return sameTime(in, out, time.Second)
	case isKubernetesType(t, metaPackage, "MicroTime"):
		return sameTime(in, out, time.Microsecond)
	case isKubernetesType(t, metaPackage, "Duration"):
		return sameDuration(in, out)
	case isKubernetesType(t, quantityPackage, "Quantity"):
		return sameQuantity(in, out)
	}
	return false
}

// sameTime compares points in time as precisely as a type keeps them.
func sameTime(in, out any, precision time.Duration) bool {
	a, errA := time.Parse(time.RFC3339Nano, fmt.Sprint(in))
	b, errB := time.Parse(time.RFC3339Nano, fmt.Sprint(out))
	return errA == nil && errB == nil && a.Truncate(precision).Equal(b)
}

func sameDuration(in, out any) bool {
	a, errA := time.ParseDuration(fmt.Sprint(in))
	b, errB := time.ParseDuration(fmt.Sprint(out))
	return errA == nil && errB == nil && a == b
}

func sameQuantity(in, out any) bool {
	a, errA := resource.ParseQuantity(fmt.Sprint(in))
	b, errB := resource.ParseQuantity(fmt.Sprint(out))
	return errA == nil && errB == nil && a.Cmp(b) == 0
}

// isZeroValue reports whether a value says nothing.
func isZeroValue(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == "" || v == "0" || v == "0s" // as a Quantity and a Duration write it
	case bool:
		return !v
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, value := range v {
			if !isZeroValue(value) {
				return false
			}
		}
		return true
	}
	return false
}

// isEmptyValue reports whether a value is what omitempty leaves out: other than zero, not an object
// of zero values.
func isEmptyValue(v any) bool {
	if fields, isObject := v.(map[string]any); isObject {
		return len(fields) == 0
	}
	return isZeroValue(v) && v != "0" && v != "0s"
}

func isEqual(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, isEqual)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, isEqual)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && rationalOf(a).Cmp(rationalOf(b)) == 0
	}
	return a == b
}

func rationalOf(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return new(big.Rat)
	}
	return r
}

func lostMessage(path string, value any) string {
	return fmt.Sprintf("%s: %s was lost", path, shortText(value))
}

// shortText returns the beginning of a value as text.
func shortText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error() // cannot happen: the value was decoded from JSON
	}
	if len(text) > 80 {
		return string(text[:80]) + "…"
	}
	return string(text)
}
