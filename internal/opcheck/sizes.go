package opcheck

import (
	"github.com/google/cel-go/checker"
)

// usualSize is how many items, entries or characters are expected where the schema sets no limit.
const usualSize = 256

// sizes says how large parts of a child can be, for the estimate of what a rule costs.
type sizes struct{ self *schema }

// EstimateSize implements the interface of the estimator.
func (s sizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	return &checker.SizeEstimate{Max: s.limit(element.Path())}
}

// EstimateCallCost implements the interface of the estimator, which knows what calls cost.
func (s sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// limit is the size that the schema sets for what a path leads to.
func (s sizes) limit(path []string) uint64 {
	if len(path) == 0 || path[0] != "self" {
		return usualSize
	}
	at := s.self
	for _, name := range path[1:] {
		switch name {
		case "@items":
			at = itemSchema(at)
		case "@values":
			at = valueSchema(at)
		default:
			at, _, _ = fieldSchema(at, name)
		}
	}
	if at == nil {
		return usualSize
	}
	for _, limit := range []*int64{at.MaxItems, at.MaxProperties, at.MaxLength} {
		if limit != nil && *limit >= 0 {
			return uint64(*limit)
		}
	}
	return usualSize
}
