package operatortest_test

import (
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestAFaultIsALine(t *testing.T) {
	for _, test := range []struct {
		line  string
		fault operatortest.Fault
	}{
		{"patch deployments 2 after lost", operatortest.Fault{Verb: "patch", Resource: "deployments", Nth: 2, When: operatortest.After, What: operatortest.Lose}},
		{"write any 1 before crash", operatortest.Fault{Nth: 1, When: operatortest.Before, What: operatortest.Crash}},
		{"patch sites/status 3 instead 422-field once", operatortest.Fault{
			Verb: "patch", Resource: "sites/status", Nth: 3, When: operatortest.Instead, What: operatortest.RefuseInvalidField, Once: true,
		}},
	} {
		if line := test.fault.String(); line != test.line {
			t.Errorf("%+v prints as %q, want %q", test.fault, line, test.line)
		}
		if fault, err := operatortest.ParseFault(test.line); err != nil || fault != test.fault {
			t.Errorf("%q is %+v (%v), want %+v", test.line, fault, err, test.fault)
		}
	}
}

func TestALineThatIsNoFault(t *testing.T) {
	for line, says := range map[string]string{
		"":                                  "verb resource nth when what",
		"patch pods 1 after":                "verb resource nth when what",
		"patch pods 1 after lost twice":     "verb resource nth when what",
		"apply pods 1 after lost":           `"apply" is no verb`,
		"patch Pods 1 after lost":           `"Pods" is not the plural`,
		"patch pods first after lost":       `"first" is not a number`,
		"patch pods 0 after lost":           "counted from 1",
		"patch pods 1 after gone":           `no kind of fault "gone"`,
		"patch pods 1 instead lost":         "before or after",
		"patch pods 1 before 500":           "instead or after",
		"patch pods 1 sometimes crash":      "before or after",
		"patch pods 1 after lost once":      "only once anyway",
		"patch pods 1 instead 500 once now": "verb resource nth when what",
	} {
		if fault, err := operatortest.ParseFault(line); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q is %+v (%v), want an error that says %q", line, fault, err, says)
		}
	}
}

func FuzzFault(f *testing.F) {
	f.Add("patch deployments 2 after lost")
	f.Add("write any 1 instead 500 once")
	f.Add(" get  sites/status 07 before timeout ")
	f.Fuzz(func(t *testing.T, line string) {
		fault, err := operatortest.ParseFault(line)
		if err != nil {
			return
		}
		again, err := operatortest.ParseFault(fault.String())
		if err != nil || again != fault {
			t.Errorf("%q is %+v, and its line %q is %+v (%v)", line, fault, fault, again, err)
		}
	})
}
