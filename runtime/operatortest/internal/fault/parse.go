package fault

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	anyWrite    = "write"
	anyResource = "any"
	onlyOnce    = "once"
)

var (
	verbs = []string{"create", "update", "patch", "delete", "get", "list", "watch"}
	whats = []What{
		RefuseForbidden, RefuseNotFound, RefuseConflict, RefuseInvalid, RefuseInvalidField, RefuseTooManyRequests, RefuseInternalError, RefuseUnavailable,
		Lose, TimeOut, CutWatches, DelayWatches, Crash, TimeTravel,
	}
	resourceSyntax = regexp.MustCompile(`^[a-z0-9.-]+(/[a-z0-9]+)?$`)
)

// String returns the fault as one line, such as "patch deployments 2 after lost" or "write any 1
// instead 500 once".
func (f Fault) String() string {
	line := fmt.Sprintf("%s %s %d %s %s", cmp.Or(f.Verb, anyWrite), cmp.Or(f.Resource, anyResource), f.Nth, f.When, f.What)
	if f.Once {
		line += " " + onlyOnce
	}
	return line
}

// Parse reads the line of a fault. The error says which part is wrong.
func Parse(line string) (Fault, error) {
	parts := strings.Fields(line)
	if len(parts) == 6 && parts[5] == onlyOnce {
		fault, err := Parse(strings.Join(parts[:5], " "))
		if err != nil {
			return Fault{}, err
		}
		fault.Once = true
		return checkFault(fault)
	}
	if len(parts) != 5 {
		return Fault{}, fmt.Errorf("fault %q is not of the form: verb resource nth when what [once]", line)
	}
	nth, err := strconv.Atoi(parts[2])
	if err != nil {
		return Fault{}, fmt.Errorf("fault %q: %q is not a number", line, parts[2])
	}
	fault := Fault{Verb: parts[0], Resource: parts[1], Nth: nth, When: When(parts[3]), What: What(parts[4])}
	if fault.Verb == anyWrite {
		fault.Verb = ""
	}
	if fault.Resource == anyResource {
		fault.Resource = ""
	}
	return checkFault(fault)
}

func checkFault(fault Fault) (Fault, error) {
	if err := fault.Validate(); err != nil {
		return Fault{}, err
	}
	return fault, nil
}

// Validate returns an error if there is no such fault.
func (f Fault) Validate() error {
	if err := f.describeProblem(); err != nil {
		return fmt.Errorf("fault %q: %w", f, err)
	}
	return nil
}

func (f Fault) describeProblem() error {
	switch {
	case f.Verb != "" && !slices.Contains(verbs, f.Verb):
		return fmt.Errorf("%q is no verb: expected %s, or %s for any that writes", f.Verb, strings.Join(verbs, ", "), anyWrite)
	case f.Resource == anyResource || f.Resource != "" && !resourceSyntax.MatchString(f.Resource):
		return fmt.Errorf("%q is not the plural of a resource", f.Resource)
	case f.Nth < 1:
		return errors.New("requests are counted from 1")
	case !slices.Contains(whats, f.What):
		return fmt.Errorf("there is no kind of fault %q", f.What)
	case f.Once && !f.What.isRefusal():
		return fmt.Errorf("%q happens only once anyway", f.What)
	case f.What.isRefusal() && f.When != Instead && f.When != After:
		return fmt.Errorf("a refusal comes %s or %s the request", Instead, After)
	case !f.What.isRefusal() && f.When != Before && f.When != After:
		return fmt.Errorf("%q comes %s or %s the request", f.What, Before, After)
	}
	return nil
}
