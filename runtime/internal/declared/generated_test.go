package declared

import (
	"maps"
	"testing"
)

func TestGeneratedTextIsReadAsItWasWritten(t *testing.T) {
	keys := []GeneratedKey{{Key: "password", Length: 24, Token: "2026-\"01\""}, {Key: "admin", Length: 8}}
	text := GeneratedText(keys)
	if text != `{"admin":"","password":"2026-\"01\""}` {
		t.Errorf("the Secret carries %s", text)
	}
	if read := ParseGeneratedText(text); !maps.Equal(read, map[string]string{"admin": "", "password": `2026-"01"`}) {
		t.Errorf("it is read as %v", read)
	}
}

func TestGeneratedTextThatSomebodyHasEdited(t *testing.T) {
	for _, text := range []string{"", "password", "[]", `{"password":1}`, `{"password":`, "null"} {
		if read := ParseGeneratedText(text); read != nil {
			t.Errorf("%q is read as %v", text, read)
		}
	}
}
