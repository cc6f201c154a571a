// Package yamltext writes Kubernetes objects as YAML, straight from their Go values:
//
//	Marshal   any object of Kubernetes' API types → YAML
//
// The bytes are those that sigs.k8s.io/yaml writes, which the whole field knows: keys sorted, lists not indented,
// lines folded at 80 columns. That library goes from the value to JSON, to another value and to YAML, which was more
// than half of the time of making a large CRD; docs/decisions/0014-speed.md has the figures. marshal.go and fields.go
// walk the value, scalar.go writes numbers, text.go writes text, order.go sorts keys, and writer.go lays them out.
package yamltext
