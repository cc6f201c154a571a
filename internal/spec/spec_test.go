package spec

import (
	"strings"
	"testing"
)

// apiHead is the start of an API file, up to the keys of its version.
const apiHead = `apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: EchoServer}
versions:
- name: v1alpha1
`

// mustParse parses an API file that has no problems.
func mustParse(t *testing.T, text string) *API {
	t.Helper()
	api, problems := ParseAPI("api/echoserver.yaml", []byte(text))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return api
}

// field parses the fields of a spec, given as the lines below properties, and returns the first.
func field(t *testing.T, lines ...string) Property {
	t.Helper()
	text := apiHead + "  spec:\n    properties:\n      " + strings.Join(lines, "\n      ") + "\n"
	return mustParse(t, text).Versions[0].Spec.Properties[0]
}
