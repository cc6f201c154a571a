package declared

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxUnavailable is how many of the children of a kind a rolling update lets be down at a time: a number
// such as 2, or a percentage of the desired children such as 25%. Empty: it says nothing.
type MaxUnavailable string

// Of returns how many of a total of children may be down: at least one. A percentage is rounded down.
func (m MaxUnavailable) Of(total int) int {
	number, isPercentage, _ := m.parse()
	switch {
	case m == "" || m.Check() != nil:
		return 1
	case isPercentage:
		number = total * number / 100
	}
	return max(1, number)
}

// Check returns an error if it is neither a number nor a percentage.
func (m MaxUnavailable) Check() error {
	number, isPercentage, err := m.parse()
	if m == "" || err == nil && !isPercentage || err == nil && number >= 0 && number <= 100 {
		return nil
	}
	return fmt.Errorf("maxUnavailable is %q: expected a number, or a percentage from 0%% to 100%%", string(m))
}

func (m MaxUnavailable) parse() (number int, isPercentage bool, err error) {
	digits, isPercentage := strings.CutSuffix(string(m), "%")
	parsed, err := strconv.ParseInt(digits, 10, 32)
	return int(parsed), isPercentage, err
}
