package operatortest

import "regexp"

// randomName is a name that the API server makes up for a new Pod: that of the volume
// with the token of its ServiceAccount.
var randomName = regexp.MustCompile("^kube-api-access-[a-z0-9]{5}$")

// withoutRandomNames returns a value in which random names are the same as in any other.
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

// withoutAllocations replaces what the API server allocates in a Service by a text that
// says so, where it is not desired: two Services never have the same.
func withoutAllocations(content, desired map[string]any) {
	spec, _ := content["spec"].(map[string]any)
	desiredSpec, _ := desired["spec"].(map[string]any)
	withoutAllocatedFields(spec, desiredSpec, "clusterIP", "clusterIPs", "healthCheckNodePort")
	ports, _ := spec["ports"].([]any)
	desiredPorts, _ := desiredSpec["ports"].([]any)
	for _, item := range ports {
		port, _ := item.(map[string]any)
		var said map[string]any
		for _, item := range desiredPorts {
			if other, _ := item.(map[string]any); equalValues("", other["port"], port["port"]) {
				said = other
			}
		}
		withoutAllocatedFields(port, said, "nodePort")
	}
}

func withoutAllocatedFields(object, desired map[string]any, fields ...string) {
	for _, field := range fields {
		_, isSet := object[field]
		if _, isDesired := desired[field]; isSet && !isDesired && object[field] != "None" {
			object[field] = "(allocated)"
		}
	}
}
