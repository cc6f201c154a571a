package arbitrary

import (
	"regexp/syntax"
	"slices"
)

// pattern is a regular expression as its matcher runs it.
type pattern struct {
	prog     *syntax.Prog
	want     bool
	distance []int // by instruction: how many runes a match still takes at least
}

// threads are the instructions that a pattern has reached, or that it has matched already.
type threads struct {
	matched bool
	at      []uint32
}

// far stands for the distance of what matches nothing.
const far = 1 << 20

// remaining returns how many runes a match still takes at least.
func (p *pattern) remaining(at []uint32, before rune) int {
	closed := p.closure(at, syntax.EmptyOpContext(before, 'a')|syntax.EmptyOpContext(before, '-')|syntax.EmptyOpContext(before, -1))
	if closed.matched {
		return 0
	}
	least := far
	for _, pc := range closed.at {
		least = min(least, p.distance[pc])
	}
	return least
}

// shortestMatches returns for each instruction how many runes a match takes at least from there.
func shortestMatches(prog *syntax.Prog) []int {
	all := make([]int, len(prog.Inst))
	for pc := range all {
		all[pc] = far
	}
	for changed := true; changed; {
		changed = false
		for pc := range prog.Inst {
			d := far
			switch inst := &prog.Inst[pc]; inst.Op {
			case syntax.InstAlt, syntax.InstAltMatch:
				d = min(all[inst.Out], all[inst.Arg])
			case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
				d = all[inst.Out]
			case syntax.InstMatch:
				d = 0
			case syntax.InstFail:
			default:
				d = min(far, all[inst.Out]+1)
			}
			if d < all[pc] {
				all[pc], changed = d, true
			}
		}
	}
	return all
}

// closure follows what needs no rune. A match may begin anywhere.
func (p *pattern) closure(at []uint32, context syntax.EmptyOp) threads {
	var t threads
	seen := map[uint32]bool{}
	stack := append(slices.Clone(at), uint32(p.prog.Start))
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch inst := &p.prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			stack = append(stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			stack = append(stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^context == 0 {
				stack = append(stack, inst.Out)
			}
		case syntax.InstMatch:
			t.matched = true
		case syntax.InstFail:
		default:
			t.at = append(t.at, pc)
		}
	}
	slices.Sort(t.at)
	return t
}
