package instance

import (
	"cmp"
	"fmt"
	"os"
	"time"
)

const (
	// Interval is the shortest pause between two checks of the cluster.
	Interval = 20 * time.Millisecond
	// LongestInterval is the pause while nothing happens that the operator sees.
	LongestInterval = 10 * Interval

	patienceVariable = "OPGEN_TEST_PATIENCE"
)

// Patience is the time limit for the cluster to do something: what OPGEN_TEST_PATIENCE says, or a
// minute.
func Patience() time.Duration {
	patience, _ := parsePatience(os.Getenv(patienceVariable))
	return cmp.Or(patience, time.Minute)
}

// SettleLimit is the time limit for the operator to have nothing to do, and to let a deleted parent
// go.
func SettleLimit() time.Duration { return Patience() / 2 }

// Emptying is the time limit for the deletion of a Namespace. The cluster deletes its objects kind
// by kind, several times.
func Emptying() time.Duration { return 2 * Patience() }

// parsePatience reads a time limit, which is 0 if there is no text.
func parsePatience(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	patience, err := time.ParseDuration(text)
	if err != nil || patience < time.Second {
		return 0, fmt.Errorf("%s is %q: set it to how long a test waits for the cluster, such as 5m; at least 1s", patienceVariable, text)
	}
	return patience, nil
}
