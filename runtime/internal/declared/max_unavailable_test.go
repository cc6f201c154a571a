package declared

import "testing"

func TestMaxUnavailableOfATotal(t *testing.T) {
	for _, test := range []struct {
		text  MaxUnavailable
		total int
		want  int
	}{
		{"", 10, 1},
		{"0", 10, 1},
		{"-3", 10, 1},
		{"2", 10, 2},
		{"20", 10, 20},
		{"25%", 10, 2}, // rounded down, as in a Deployment
		{"25%", 4, 1},
		{"25%", 3, 1}, // never below one
		{"0%", 10, 1},
		{"50%", 0, 1},
		{"100%", 7, 7},
		{"none", 7, 1},
		{"101%", 7, 1},
		{"99999999999", 7, 1},
	} {
		if got := test.text.Of(test.total); got != test.want {
			t.Errorf("%q of %d is %d, want %d", test.text, test.total, got, test.want)
		}
	}
}

func TestMaxUnavailableIsANumberOrAPercentage(t *testing.T) {
	for text, want := range map[MaxUnavailable]bool{
		"": true, "0": true, "-1": true, "3": true, "0%": true, "25%": true, "100%": true,
		"101%": false, "-1%": false, "a quarter": false, "%": false, "2.5": false, "99999999999": false,
	} {
		if err := text.Check(); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
