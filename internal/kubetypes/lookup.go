package kubetypes

// Lookup returns what is known of a kind. The apiVersion is group/version, or version alone for the core group.
func Lookup(apiVersion, kind string) (Kind, bool) {
	return Kind{}, false
}

// TypeByName returns a type by the name that spec files use, such as core/v1.ResourceRequirements.
func TypeByName(name string) (Type, bool) {
	return Type{}, false
}
