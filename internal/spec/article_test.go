package spec

import "testing"

func TestArticleIsTheSpokenOne(t *testing.T) {
	tests := map[string]string{
		"EchoServer": "an EchoServer",
		"Pod":        "a Pod",
		"HTTPProxy":  "an HTTPProxy",
		"Host":       "a Host",
		"S3Bucket":   "an S3Bucket",
		"DNSRecord":  "a DNSRecord",
		"X":          "an X",
		"integer":    "an integer",
		"string":     "a string",
	}
	for kind, want := range tests {
		if got := WithArticle(kind); got != want {
			t.Errorf("WithArticle(%q) = %q, want %q", kind, got, want)
		}
	}
}
