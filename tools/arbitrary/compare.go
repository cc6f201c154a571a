package arbitrary

import (
	"math"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// orders tell what the difference of two sides may be, and which differences are aimed at.
var orders = map[string]struct {
	fits  func(float64) bool
	aims  []float64
	other string // what is meant by not
}{
	operators.Less:          {func(d float64) bool { return d < 0 }, []float64{-1, -2, -10, -1000}, operators.GreaterEquals},
	operators.LessEquals:    {func(d float64) bool { return d <= 0 }, []float64{0, -1, -5, -1000}, operators.Greater},
	operators.Greater:       {func(d float64) bool { return d > 0 }, []float64{1, 2, 10, 1000}, operators.LessEquals},
	operators.GreaterEquals: {func(d float64) bool { return d >= 0 }, []float64{0, 1, 5, 1000}, operators.Less},
}

// balancer repairs comparisons of numbers, sizes and counts.
type balancer struct{ *repair }

// compare makes one side less or greater than the other.
func (r balancer) compare(function string, a, b ast.Expr, s scope, want bool) {
	order := orders[function]
	if !want {
		order = orders[order.other]
	}
	for _, side := range []ast.Expr{a, b} { // without a value there is nothing to compare
		if _, err := r.rule.value(side, s); err != nil {
			for _, p := range r.rule.places(side, s) {
				r.ensure(p)
			}
		}
	}
	r.balance(a, b, s, order.fits, order.aims)
}

// balance changes a number, the size of something or how many of some conditions hold, until the
// difference of two sides is one that fits.
func (r balancer) balance(a, b ast.Expr, s scope, fits func(float64) bool, aims []float64) bool {
	difference := func() (float64, bool) {
		x, okX := r.number(a, s)
		y, okY := r.number(b, s)
		return x - y, okX && okY
	}
	now, ok := difference()
	if !ok {
		return false
	}
	if fits(now) {
		return true
	}
	knobs := append(r.knobs(a, s), r.knobs(b, s)...)
	r.maker.random.Shuffle(len(knobs), func(i, j int) { knobs[i], knobs[j] = knobs[j], knobs[i] })
	aim := aims[0]
	if r.maker.chance(3) {
		aim = aims[r.maker.random.IntN(len(aims))]
	}
	for _, k := range knobs {
		begun := now
		r.turn(k, now, aim, difference)
		if now, ok = difference(); ok && fits(now) {
			return true
		}
		if !ok || math.Abs(now-aims[0]) > math.Abs(begun-aims[0]) {
			k.undo()
			if now, ok = difference(); !ok {
				return false
			}
		}
	}
	return false
}

// turn moves a knob as far as the difference is away from what is aimed at: by how much a step of
// one changes it tells how many it takes.
func (r balancer) turn(k *knob, now, aim float64, difference func() (float64, bool)) {
	for _, step := range []float64{k.step, -k.step} {
		if !k.move(step) {
			continue
		}
		after, ok := difference()
		if !ok || after == now {
			k.undo()
			continue
		}
		slope := (after - now) / step
		k.undo()
		by := (aim - now) / slope
		if k.move(by) {
			return
		}
		for _, near := range []float64{math.Floor(by), math.Ceil(by), by / 2, by + k.step, by - k.step} {
			if k.move(near) {
				return
			}
		}
		k.move(math.Copysign(k.step, by))
		return
	}
}

// number returns the value of an expression that is one.
func (r balancer) number(e ast.Expr, s scope) (float64, bool) {
	v, err := r.rule.value(e, s)
	if err != nil {
		return 0, false
	}
	return asNumber(v)
}

func asNumber(v ref.Val) (float64, bool) {
	switch v := v.(type) {
	case types.Int:
		return float64(v), true
	case types.Uint:
		return float64(v), true
	case types.Double:
		return float64(v), true
	case types.Duration:
		return v.Seconds(), true
	case types.Timestamp:
		return float64(v.Unix()), true
	}
	return 0, false
}
