package process

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestProbesAnswerAsThoseOfKubernetes(t *testing.T) {
	fails := func(*http.Request) error { return errors.New("the password is secret") }
	works := func(*http.Request) error { return nil }
	for name, test := range map[string]struct {
		path   string
		checks []probe
		code   int
		expect string
	}{
		"all is well":                     {"/readyz", []probe{{name: "a", check: works}}, 200, "ok"},
		"and says so":                     {"/readyz?verbose", []probe{{name: "a", check: works}}, 200, "[+]a ok\nreadyz check passed\n"},
		"an author's reason is withheld":  {"/readyz", []probe{{name: "a", check: fails}}, 500, "[-]a failed: reason withheld\nreadyz check failed\n"},
		"ours is not":                     {"/readyz", []probe{{name: "a", check: fails, isOurs: true}}, 500, "[-]a failed: the password is secret\nreadyz check failed\n"},
		"others work":                     {"/readyz?verbose", []probe{{name: "a", check: works}, {name: "b", check: fails, isOurs: true, isMinor: true}}, 200, "[+]a ok\n[-]b failed: the password is secret\nreadyz check passed\n"},
		"one of them":                     {"/readyz/b", []probe{{name: "a", check: works}, {name: "b", check: fails, isMinor: true}}, 500, "[-]b failed: reason withheld\nreadyz check failed\n"},
		"one that is well beside another": {"/readyz/a", []probe{{name: "a", check: works}, {name: "b", check: fails}}, 200, "ok"},
		"none of that name":               {"/readyz/c", []probe{{name: "a", check: works}}, 404, "404 page not found\n"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := httptest.NewRecorder()
			answerProbe(answer, httptest.NewRequest(http.MethodGet, test.path, nil), "/readyz", test.checks)
			if answer.Code != test.code || answer.Body.String() != test.expect {
				t.Errorf("%d %q, expected %d %q", answer.Code, answer.Body, test.code, test.expect)
			}
		})
	}
}
