package arbitrary

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
)

// demand is what a text must be: matched by a pattern, or not, and between two lengths.
type demand struct {
	pattern     string // "" for none
	want        bool
	least, most int // most 0: any length
}

// composer looks for a text that all demands fit, a rune at a time. It keeps what each pattern
// could still match.
type composer struct {
	maker       *chooser
	patterns    []*pattern
	least, most int
	left        int // how many more runes are tried
	seen        map[string]bool
}

// composeText returns a text that fits all demands.
func (m *chooser) composeText(demands []demand) (string, bool) {
	c := &composer{maker: m, most: 1 << 20}
	for _, d := range demands {
		c.least = max(c.least, d.least)
		if d.most > 0 {
			c.most = min(c.most, d.most)
		}
		if d.pattern == "" {
			continue
		}
		parsed, err := syntax.Parse(d.pattern, syntax.Perl)
		if err != nil {
			return "", false
		}
		prog, err := syntax.Compile(parsed.Simplify())
		if err != nil {
			return "", false
		}
		c.patterns = append(c.patterns, &pattern{prog, d.want, shortestMatches(prog)})
	}
	if c.least > c.most {
		return "", false
	}
	start := make([]threads, len(c.patterns))
	for range 4 {
		c.left, c.seen = 800, map[string]bool{}
		if text, ok := c.extend(nil, start); ok {
			return string(text), true
		}
	}
	return c.shortest(start)
}

// extend goes on with a text at random, and back where no text begins so.
func (c *composer) extend(text []rune, state []threads) ([]rune, bool) {
	longEnough := len(text) >= c.least && c.accepts(text, state)
	if longEnough && !c.maker.chance(4) {
		return text, true
	}
	key := stateKey(text, state) + fmt.Sprint(len(text))
	if c.seen[key] || len(text) >= min(c.most, c.least+60) {
		return text, longEnough
	}
	c.seen[key] = true
	for _, r := range c.closer(text, state) {
		if c.left--; c.left < 0 {
			return text, longEnough
		}
		next, alive := c.step(text, state, r)
		if !alive {
			continue
		}
		if found, ok := c.extend(append(slices.Clone(text), r), next); ok {
			return found, true
		}
	}
	return text, longEnough
}

// closer returns runes to go on with, every other time those first that bring a match closer.
func (c *composer) closer(text []rune, state []threads) []rune {
	all := c.candidates(text, state)
	if c.maker.chance(2) {
		return all
	}
	left := map[rune]int{}
	for _, r := range all {
		next, alive := c.step(text, state, r)
		if !alive {
			left[r] = far
			continue
		}
		for i, p := range c.patterns {
			if p.want && !next[i].matched {
				left[r] += p.remaining(next[i].at, r)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b rune) int { return left[a] - left[b] })
	return all
}

// shortest looks at all texts in the order of their length.
func (c *composer) shortest(start []threads) (string, bool) {
	type partial struct {
		text  []rune
		state []threads
	}
	queue, seen := []partial{{nil, start}}, map[string]bool{}
	for i := 0; i < len(queue) && i < 1000; i++ {
		p := queue[i]
		if len(p.text) >= c.least && c.accepts(p.text, p.state) {
			return string(p.text), true
		}
		if len(p.text) >= c.most {
			continue
		}
		for _, r := range c.candidates(p.text, p.state) {
			next, alive := c.step(p.text, p.state, r)
			text := append(slices.Clone(p.text), r)
			key := stateKey(text, next) + fmt.Sprint(min(len(text), c.least))
			if alive && !seen[key] {
				seen[key] = true
				queue = append(queue, partial{text, next})
			}
		}
	}
	return "", false
}

func stateKey(text []rune, state []threads) string {
	var key strings.Builder
	if len(text) > 0 {
		key.WriteRune(text[len(text)-1])
	}
	for _, t := range state {
		fmt.Fprint(&key, t.matched, t.at)
	}
	return key.String()
}

func lastRune(text []rune) rune {
	if len(text) == 0 {
		return -1
	}
	return text[len(text)-1]
}

// step reads a rune. A text that no longer fits whatever follows is not alive.
func (c *composer) step(text []rune, state []threads, r rune) (next []threads, alive bool) {
	next = make([]threads, len(state))
	for i, p := range c.patterns {
		if state[i].matched {
			next[i].matched = true
			continue
		}
		closed := p.closure(state[i].at, syntax.EmptyOpContext(lastRune(text), r))
		if closed.matched {
			next[i].matched = true
		}
		for _, pc := range closed.at {
			if inst := &p.prog.Inst[pc]; inst.MatchRune(r) {
				next[i].at = append(next[i].at, inst.Out)
			}
		}
		if next[i].matched && !p.want {
			return nil, false
		}
		if next[i].matched {
			next[i].at = nil
		}
		if p.want && !next[i].matched && len(text)+1+p.remaining(next[i].at, r) > c.most {
			return nil, false
		}
	}
	return next, true
}

// accepts reports whether a text may end here.
func (c *composer) accepts(text []rune, state []threads) bool {
	for i, p := range c.patterns {
		matched := state[i].matched || p.closure(state[i].at, syntax.EmptyOpContext(lastRune(text), -1)).matched
		if matched != p.want {
			return false
		}
	}
	return true
}

// candidates returns runes to go on with: the ends of the ranges that a pattern waits for, and some
// within.
func (c *composer) candidates(text []rune, state []threads) []rune {
	all := []rune{'a', 'b', 'x', '1', '0', '-', 'A'}
	for i, p := range c.patterns {
		if state[i].matched {
			continue
		}
		// Whatever comes next, a word may begin or end here; step knows better.
		closed := p.closure(state[i].at, syntax.EmptyOpContext(lastRune(text), 'a')|syntax.EmptyOpContext(lastRune(text), '-'))
		for _, pc := range closed.at {
			all = append(all, c.within(p.prog.Inst[pc].Rune)...)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	c.maker.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// within returns some runes of ranges, those that can be seen where there are any.
func (c *composer) within(ranges []rune) []rune {
	if len(ranges) == 1 {
		return ranges
	}
	var seen, other []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		low, high := ranges[i], ranges[i+1]
		if l, h := max(low, ' '+1), min(high, '~'); l <= h {
			seen = append(seen, l, h, l+rune(c.maker.random.IntN(int(h-l)+1)))
		} else {
			other = append(other, low)
		}
	}
	if len(seen) == 0 {
		return other[:min(len(other), 4)]
	}
	return seen
}
