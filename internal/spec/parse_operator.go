package spec

import (
	"math"
	"time"

	"go.yaml.in/yaml/v3"
)

// operator decodes what a controller does.
func (d *decoder) operator(into **Operator) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		op := &Operator{Pos: d.src.pos(n), Teardown: TeardownTogether}
		*into = op
		var retries int64
		d.mapping(n, path, keys{
			"finalize": d.flag(&op.Finalize),
			"teardown": word(d, &op.Teardown, TeardownTogether, TeardownOrdered),
			"retries":  d.count(&retries, 1, math.MaxInt32),
			"timeout":  d.duration(&op.Timeout, time.Second, 24*time.Hour),
			"children": d.list(func(n *yaml.Node, path string) { op.Children = append(op.Children, d.child(n, path)) }),
			"related":  d.list(func(n *yaml.Node, path string) { op.Related = append(op.Related, d.related(n, path)) }),
			"rbac":     d.list(func(n *yaml.Node, path string) { op.RBAC = append(op.RBAC, d.policyRule(n, path)) }),
		})
		op.Retries = int(retries)
		d.distinctChildren(op.Children, path+".children")
		d.distinctRelated(op.Related, path+".related")
	}
}

// duration decodes a Go duration within limits.
func (d *decoder) duration(into *time.Duration, least, most time.Duration) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		if n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float") {
			d.fail(n, path, "expected a duration, got "+describe(n), "write its unit: "+n.Value+"s")
			return
		}
		text, ok := d.str(n, path)
		if !ok {
			return
		}
		value, err := time.ParseDuration(text)
		switch {
		case err != nil:
			d.fail(n, path, quoteShort(text)+" is not a duration", "such as 90s, 5m or 1h30m")
		case value < least || value > most:
			d.fail(n, path, text+" is out of range", "from "+least.String()+" to "+most.String())
		default:
			*into = value
		}
	}
}

// policyRule decodes a rule of the operator's role.
func (d *decoder) policyRule(n *yaml.Node, path string) PolicyRule {
	var r PolicyRule
	ok := d.mapping(n, path, keys{
		"apiGroups":       d.texts(&r.APIGroups),
		"resources":       d.texts(&r.Resources),
		"verbs":           d.texts(&r.Verbs),
		"resourceNames":   d.texts(&r.ResourceNames),
		"nonResourceURLs": d.texts(&r.NonResourceURLs),
	})
	if !ok {
		return r
	}
	d.need(n, path, "verbs")
	_, urls := lookup(n, "nonResourceURLs")
	if urls == nil {
		d.need(n, path, "apiGroups", "resources")
		return r
	}
	for _, key := range []string{"apiGroups", "resources", "resourceNames"} {
		if name, _ := lookup(n, key); name != nil {
			d.fail(name, join(path, key), "does not go with nonResourceURLs", "write two rules")
		}
	}
	return r
}
