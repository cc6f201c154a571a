package cluster

import (
	"errors"
	"strings"
	"testing"
)

func TestExplainSaysWhatToDo(t *testing.T) {
	for _, test := range []struct{ name, output, want string }{
		{"disk full", "link: write /tmp/x: no space left on device", "set OPGEN_CACHE, GOCACHE"},
		{"cache of somebody else", "open /home/x/.cache: permission denied", "directories that can be written"},
		{"offline", "go: k8s.io/api@v0.36.3: Get \"x\": dial tcp: lookup proxy: no such host", "connect to the network once"},
		{"proxy switched off", "module lookup disabled by GOPROXY=off", "GOPROXY"},
		{"compiler", "main.go:3:1: undefined: x", "main.go:3:1: undefined: x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := explainBuild(errors.New("exit status 1"), test.output)
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %q, expected it to contain %q", err, test.want)
			}
		})
	}
}

func TestBuildWithoutGoNamesIt(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Build(t.Context(), Cache{Dir: t.TempDir()}, nil)
	if err == nil || !strings.Contains(err.Error(), "install Go") {
		t.Errorf("got %v, expected to be told to install Go", err)
	}
}
