package opcheck

import (
	"github.com/google/cel-go/checker"
)

// usualSize is the assumed number of items, entries or characters if the schema sets no limit.
const usualSize = 256

// sizes tells the CEL cost estimator how large the parts of a child can be.
type sizes struct{ self *schema }

// EstimateSize implements checker.CostEstimator.
func (s sizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	return &checker.SizeEstimate{Max: s.sizeLimit(element.Path())}
}

// EstimateCallCost implements checker.CostEstimator. It leaves the costs of calls to CEL.
func (s sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// sizeLimit returns the largest size of what a path leads to, from the schema.
func (s sizes) sizeLimit(path []string) uint64 {
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
