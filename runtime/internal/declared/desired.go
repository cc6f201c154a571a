package declared

import (
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// DesiredSet holds the desired children of one kind.
type DesiredSet struct {
	Children []DesiredChild
	Keep     []string // names of children that stay as they are
	// MaxUnavailable is how many of them a rolling update lets be down at a time; empty: as the kind says.
	MaxUnavailable MaxUnavailable
}

// Add adds a desired child with the options of the author.
func (s *DesiredSet) Add(child DesiredChild, options []ChildOption) {
	for _, option := range options {
		option.configure(&child)
	}
	s.Children = append(s.Children, child)
}

// DesiredChild is one desired child: an object or an apply configuration.
type DesiredChild struct {
	Object        client.Object
	Configuration runtime.ApplyConfiguration
	Policies                      // those that are not empty override the kind's
	After         []client.Object // desired children that must be ready before this one is written
	CreateAfter   []client.Object // desired children that must be ready before this one is created
	Replaces      []client.Object // undesired children that must be gone before this one is created
	Recreate      bool            // the child that exists is deleted and created again
	PartOfReady   *bool           // whether the parent is ready only if the child is; nil: as its kind says
	Generate      []GeneratedKey  // of a Secret: values that the runtime generates
	HandOver      []string        // paths of fields that the child keeps when they are left out, in addition to the kind's
	InPlace       []string        // paths of labels and annotations that are applied at once, in addition to the kind's
	NotReady      string          // why Sync says that the child is not ready; empty: it says nothing
	NotUpdated    string          // why Sync says that a change does not reach the child yet; empty: it says nothing
	UpdateLast    bool            // its turn in a rolling update comes after that of the others
	// WhenApplied are the functions of operator.WhenApplied. Each gets the response that desires
	// the child, and returns an error if that is of another type.
	WhenApplied []func(response any) error
}

// Source returns the object or the apply configuration.
func (d DesiredChild) Source() any {
	if d.Configuration != nil {
		return d.Configuration
	}
	return d.Object
}

// ChildOption says how one child differs from what its kind says.
type ChildOption interface {
	configure(*DesiredChild)
}

func (u UpdateStrategy) configure(child *DesiredChild) { child.Update = u }

func (p AdoptionPolicy) configure(child *DesiredChild) { child.Adopt = p }

func (p ImmutablePolicy) configure(child *DesiredChild) { child.WhenImmutable = p }

func (p RecreationPolicy) configure(child *DesiredChild) { child.WhenRecreated = p }

// OptionFunc is an option that is no policy.
type OptionFunc func(*DesiredChild)

func (f OptionFunc) configure(child *DesiredChild) { f(child) }
