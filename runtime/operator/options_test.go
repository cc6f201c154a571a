package operator_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestEachSetupRunsUntilOneFails(t *testing.T) {
	var ran []string
	full := errors.New("the disk is full")
	step := func(name string, err error) operator.Option {
		return operator.Setup(func(operator.Manager) error { ran = append(ran, name); return err })
	}
	var options operator.Options
	for _, option := range []operator.Option{step("webhook", nil), step("types", full), step("controller", nil)} {
		option(&options)
	}
	if err := options.Setup(nil); !errors.Is(err, full) {
		t.Errorf("got the error %v", err)
	}
	if want := []string{"webhook", "types"}; !slices.Equal(ran, want) {
		t.Errorf("ran %v, want %v", ran, want)
	}
}
