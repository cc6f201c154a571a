package process

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// IsLimited reports whether the operator works in some namespaces only.
func (o Options) IsLimited() bool { return len(o.Namespaces) > 0 }

// WorksIn reports whether the operator works in a namespace. It always works on cluster-scoped objects, whose namespace
// is empty.
func (o Options) WorksIn(namespace string) bool {
	return !o.IsLimited() || namespace == "" || slices.Contains(o.Namespaces, namespace)
}

// DescribeNamespaces names the namespaces that the operator is limited to, for messages.
func (o Options) DescribeNamespaces() string {
	if len(o.Namespaces) == 1 {
		return "the only namespace that the operator works in, " + o.Namespaces[0]
	}
	return "the namespaces that the operator works in: " + strings.Join(o.Namespaces, ", ")
}

// namespacesFlag is the value of --namespace: names with commas between them.
type namespacesFlag struct{ into *[]string }

func (f namespacesFlag) String() string {
	if f.into == nil { // the zero value, of which package flag asks for the default
		return ""
	}
	return strings.Join(*f.into, ",")
}

// Set parses names. An empty text stands for all namespaces. The error has everything that is wrong.
func (f namespacesFlag) Set(text string) error {
	*f.into = nil
	if text == "" {
		return nil
	}
	names := strings.Split(text, ",")
	if err := checkNamespaces(names); err != nil {
		return err
	}
	*f.into = names
	return nil
}

// checkNamespaces returns an error with everything that is wrong about names. An empty one would stand for all
// namespaces, as it does in a cache.
func checkNamespaces(names []string) error {
	var problems []error
	for i, name := range names {
		switch invalid := validation.IsDNS1123Label(name); {
		case name == "":
			problems = append(problems, errors.New("a name is empty"))
		case len(invalid) > 0:
			problems = append(problems, fmt.Errorf("%q is not the name of a namespace", name))
		case slices.Contains(names[:i], name):
			problems = append(problems, fmt.Errorf("%s is there twice", name))
		}
	}
	return errors.Join(problems...)
}
