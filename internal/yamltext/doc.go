// Package yamltext writes Kubernetes objects as YAML, straight from their Go values:
//
//	Marshal   any object of Kubernetes' API types → YAML
//
// The bytes are those that sigs.k8s.io/yaml writes, which the whole field knows: keys sorted, lists not indented,
// lines folded at 80 columns. That library goes from value to JSON to values to JSON to values to YAML, which
// takes most of the time of making a large CRD; here it is one pass (docs/decisions/0014-speed.md). value.go walks
// the value, scalar.go and fold.go write the texts, order.go sorts the keys.
package yamltext
