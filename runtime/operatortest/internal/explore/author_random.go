package explore

import (
	"regexp"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// randomName matches a name that the API server generates for a new Pod: of the volume with the
// token of its ServiceAccount.
var randomName = regexp.MustCompile("^kube-api-access-[a-z0-9]{5}$")

// withoutRandomNames returns a value in which all random names are the same.
func withoutRandomNames(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, below := range value {
			value[name] = withoutRandomNames(below)
		}
	case []any:
		for i, item := range value {
			value[i] = withoutRandomNames(item)
		}
	case string:
		if randomName.MatchString(value) {
			return "kube-api-access"
		}
	}
	return value
}

// withoutAllocations replaces the values that the API server allocates in a Service, unless they
// are desired. No two Services have the same.
func withoutAllocations(content, desired map[string]any) {
	spec, _ := content["spec"].(map[string]any)
	desiredSpec, _ := desired["spec"].(map[string]any)
	withoutAllocatedFields(spec, desiredSpec, "clusterIP", "clusterIPs", "healthCheckNodePort")
	if spec["clusterIP"] == "None" {
		withoutFamilies(spec, desiredSpec)
	}
	ports, _ := spec["ports"].([]any)
	desiredPorts, _ := desiredSpec["ports"].([]any)
	for _, item := range ports {
		port, _ := item.(map[string]any)
		var said map[string]any
		for _, item := range desiredPorts {
			if other, _ := item.(map[string]any); diff.EqualValues("", other["port"], port["port"]) {
				said = other
			}
		}
		withoutAllocatedFields(port, said, "nodePort")
	}
}

// withoutKept removes what the API server keeps of a headless Service when its author leaves out the address:
// such a Service is headless until it is created again.
func withoutKept(content, desired, before map[string]any) {
	spec, _ := content["spec"].(map[string]any)
	desiredSpec, _ := desired["spec"].(map[string]any)
	beforeSpec, _ := before["spec"].(map[string]any)
	if address, _ := desiredSpec["clusterIP"].(string); address != "" || beforeSpec["clusterIP"] != "None" {
		return
	}
	delete(spec, "clusterIP")
	delete(spec, "clusterIPs")
	withoutFamilies(spec, desiredSpec)
}

// withoutFamilies removes the address families of a headless Service, unless they are desired. The API
// server chooses others for one that is created without a selector, and keeps them when that changes.
func withoutFamilies(spec, desired map[string]any) {
	for _, field := range []string{"ipFamilies", "ipFamilyPolicy"} {
		if _, isDesired := desired[field]; !isDesired {
			delete(spec, field)
		}
	}
}

func withoutAllocatedFields(object, desired map[string]any, fields ...string) {
	for _, field := range fields {
		_, isSet := object[field]
		if _, isDesired := desired[field]; isSet && !isDesired && object[field] != "None" {
			object[field] = allocated(object[field])
		}
	}
}

// allocated returns what stands in place of any allocated value of a type.
func allocated(value any) any {
	switch value.(type) {
	case []any:
		return []any{"(allocated)"}
	case int64:
		return int64(0)
	}
	return "(allocated)"
}
