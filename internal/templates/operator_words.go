package templates

// AndRelated names related objects, where there are any.
func (v operatorView) AndRelated() string {
	if len(v.Related) == 0 {
		return ""
	}
	return ", and what is related to it,"
}

// Wants names the parent that the children of a response are for, and what else it has.
func (v operatorView) Wants() string {
	if v.Controller != nil {
		return v.A() + " wants"
	}
	return "the " + v.Parent.Name + " wants, and its status"
}
