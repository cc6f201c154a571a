package crdgen

import "strings"

// namedValues are values for text fields by the end of their names, in lower case. The first that
// fits counts.
var namedValues = []struct{ ending, value string }{
	{"schedule", "0 0 * * *"},
	{"cron", "0 0 * * *"},
	{"image", "nginx:1.29"},
	{"timezone", "Etc/UTC"},
	{"email", "user@example.com"},
	{"hostname", "example.com"},
	{"host", "example.com"},
	{"domain", "example.com"},
	{"url", "https://example.com"},
	{"uri", "https://example.com"},
	{"endpoint", "https://example.com"},
	{"duration", "1m0s"},
	{"interval", "1m0s"},
	{"timeout", "1m0s"},
}

// valueNamed returns the value that the name of a text field suggests, and "" if it suggests none.
func valueNamed(name string) string {
	name = strings.ToLower(name)
	for _, v := range namedValues {
		if strings.HasSuffix(name, v.ending) {
			return v.value
		}
	}
	return ""
}
