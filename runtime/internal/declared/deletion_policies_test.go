package declared

import "testing"

func TestDeletionTextIsReadAsItWasWritten(t *testing.T) {
	for _, test := range []struct {
		dropped, deleted DeletionPolicy
		text             string
	}{
		{"", "", ""},
		{Orphan, Orphan, "Orphan"},
		{Delete, Delete, "Delete"},
		{Orphan, "", "whenDropped=Orphan"},
		{Delete, "", "whenDropped=Delete"},
		{"", Orphan, "whenDeleted=Orphan"},
		{"", Delete, "whenDeleted=Delete"},
		{Orphan, Delete, "whenDropped=Orphan,whenDeleted=Delete"},
		{Delete, Orphan, "whenDropped=Delete,whenDeleted=Orphan"},
	} {
		t.Run(test.text, func(t *testing.T) {
			set := Policies{WhenDropped: test.dropped, WhenDeleted: test.deleted}
			if text := set.DeletionText(); text != test.text {
				t.Errorf("the child carries %q", text)
			}
			if read := ParseDeletionText(test.text); read != set {
				t.Errorf("it is read as %+v", read)
			}
		})
	}
}

func TestDeletionTextThatSomebodyHasEdited(t *testing.T) {
	for text, expected := range map[string]Policies{
		"orphan":                                {},
		"Keep":                                  {},
		",":                                     {},
		"Orphan,Delete":                         {},
		"whenDropped=":                          {},
		"whenDropped=orphan,whenDeleted=Delete": {WhenDeleted: Delete},
		"whenDeleted=Orphan,whenDropped=Delete": {WhenDropped: Delete, WhenDeleted: Orphan},
		"whenDropped=Orphan,whenRenamed=Orphan": {WhenDropped: Orphan},
		"whenDropped=Orphan, Orphan":            {WhenDropped: Orphan},
	} {
		if read := ParseDeletionText(text); read != expected {
			t.Errorf("%q is read as %+v, want %+v", text, read, expected)
		}
	}
}
