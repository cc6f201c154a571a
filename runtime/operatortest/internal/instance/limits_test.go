package instance

import (
	"testing"
	"time"
)

func TestPatienceIsWhatTheVariableSays(t *testing.T) {
	for text, want := range map[string]struct {
		patience time.Duration
		refused  bool
	}{
		"":      {time.Minute, false},
		"5m":    {5 * time.Minute, false},
		"1s":    {time.Second, false},
		"999ms": {time.Minute, true},
		"-5m":   {time.Minute, true},
		"5":     {time.Minute, true},
		"long":  {time.Minute, true},
	} {
		t.Run(text, func(t *testing.T) {
			t.Setenv(patienceVariable, text)
			if got := Patience(); got != want.patience {
				t.Errorf("got %v, want %v", got, want.patience)
			}
			if _, err := parsePatience(text); (err != nil) != want.refused {
				t.Errorf("got the error %v", err)
			}
		})
	}
}
