package templates

// AndRelated returns the clause about related objects in a sentence of a comment, and "" if there
// are none.
func (v operatorView) AndRelated() string {
	if len(v.Related) == 0 {
		return ""
	}
	return ", and what is related to it,"
}

// Wants returns the end of a sentence about a response: "the EchoServer wants, and its status".
func (v operatorView) Wants() string {
	if v.Controller != nil {
		return v.A() + " wants"
	}
	return "the " + v.Parent.Name + " wants, and its status"
}
