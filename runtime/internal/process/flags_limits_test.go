package process

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// The flags bound the requests to the API server. Without them, the API server alone does.
func TestFlagsBoundTheRequests(t *testing.T) {
	kubeconfig := writeKubeconfig(t)
	for _, test := range []struct {
		name  string
		args  []string
		qps   float32
		burst int
	}{
		{"no flags", nil, -1, 0},
		{"twice as many for a moment", []string{"--qps=5"}, 5, 10},
		{"less than one", []string{"--qps=0.1"}, 0.1, 1},
		{"burst", []string{"--qps=5", "--burst=7"}, 5, 7},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, err := parseFlags("operator", append(test.args, "--kubeconfig="+kubeconfig), func(string) string { return "" }, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			config, err := l.loadConfig()
			if err != nil {
				t.Fatal(err)
			}
			if config.QPS != test.qps || config.Burst != test.burst {
				t.Errorf("%v requests per second, and %d at once, want %v and %d", config.QPS, config.Burst, test.qps, test.burst)
			}
		})
	}
}

// writeKubeconfig writes a kubeconfig of a cluster that nobody answers for, and returns its path.
func writeKubeconfig(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	err := os.WriteFile(path, []byte(`
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u}]
current-context: c
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
