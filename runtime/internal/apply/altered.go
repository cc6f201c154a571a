package apply

import (
	"time"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// altered is what the API server, or its admission, makes of a desired state: values
// of a child that were other ones right after a write of all that is desired. They are
// no drift, since another write would end the same.
type altered struct {
	paths  []string // that are not as desired; none where values were only completed
	values sum      // at all our paths
	at     time.Time
}

// altered returns what an object holds instead of what is desired, if that was written
// to it just now; nil where it is as desired.
func (v *view) altered(now time.Time, d Desired) (*altered, error) {
	differs, err := v.differences(d)
	if len(differs) == 0 || err != nil {
		return nil, err
	}
	values, err := v.values(d.content())
	if err != nil {
		return nil, err
	}
	named := comparison{builtin: isBuiltin(d), completed: true}
	named.compare("", v.set, d.fields(), v.fields)
	return &altered{named.paths, values, now}, nil
}

// isAsAltered reports whether the values of an object are those that were altered.
func (v *view) isAsAltered(d Desired, last *altered) (bool, error) {
	if last == nil {
		return false, nil
	}
	values, err := v.values(d.content())
	return values == last.values, err
}

// verdict is that of a child with these values altered: it is as desired, until it is
// time to try again.
func (a *altered) verdict(now time.Time) verdict {
	if a != nil && len(a.paths) > 0 && now.Sub(a.at) >= backoff.Altered {
		return unsettled
	}
	return converged
}
