package usertemplates

// Values are what a template is rendered over.
type Values struct {
	Project any
	APIs    []any
	API     any
	Version any
}

func (v Values) of(scope) []Values { return []Values{v} }

func namesIn(string) []string { return nil }
