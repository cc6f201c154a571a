package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/cluster"
	"github.com/opgen-dev/opgen/internal/longtest"
)

// commandLine runs one command line and returns its exit code and what it wrote.
func commandLine(args ...string) (code int, out, err string) {
	var stdout, stderr bytes.Buffer
	code = run(args, streams{in: strings.NewReader(""), out: &stdout, err: &stderr})
	return code, stdout.String(), stderr.String()
}

func TestClusterCommandsWithoutACluster(t *testing.T) {
	t.Setenv("OPGEN_STATE", filepath.Join(t.TempDir(), "it's a state"))
	t.Setenv("KUBECONFIG", "")
	t.Setenv(assetsVariable, "")
	for _, test := range []struct {
		line     string
		code     int
		out, err string
	}{
		{"cluster status", exitDone, "", "no cluster is running: start one with `opgen cluster up`\n"},
		{"cluster status -o json", exitDone, "[]\n", ""},
		{"cluster status -o xml", exitInvalid, "", "use text or json"},
		{"cluster down", exitDone, "", "cluster \"default\" is not running\n"},
		{"cluster down --all", exitDone, "", "no cluster is running\n"},
		{"cluster env", exitTrouble, "", "cluster \"default\" is not running: run `opgen cluster up`\n"},
		{"cluster env --name other", exitTrouble, "", "run `opgen cluster up --name other`"},
		{"cluster env --name Other", exitInvalid, "", "invalid cluster name"},
		{"cluster up --name a/b", exitInvalid, "", "invalid cluster name"},
		{"cluster up --dry-run", exitDone, "", "would start cluster \"default\" in "},
		{"cluster up --node --build-only --dry-run", exitDone, "", "Kubernetes v1.36.3"},
		{"cluster up --node --kubernetes 1.33", exitInvalid, "", "--kubernetes 1.33 goes not with --node: a node runs Kubernetes v1.36.3"},
		{"cluster load image.tar", exitTrouble, "", "cluster \"default\" is not running: run `opgen cluster up`\n"},
		{"cluster load", exitInvalid, "", ""},
		{"cluster kubectl get pods", exitTrouble, "", "cluster \"default\" is not running: run `opgen cluster up`\n"},
		{"cluster kubectl --name", exitInvalid, "", "--name: give a name"},
		{"cluster", exitInvalid, "", ""},
		{"cluster start", exitInvalid, "", "start"},
	} {
		t.Run(test.line, func(t *testing.T) {
			code, out, err := commandLine(strings.Fields(test.line)...)
			if code != test.code || out != test.out || !strings.Contains(err, test.err) {
				t.Errorf("got %d, %q, %q\nexpected %d, %q, %q", code, out, err, test.code, test.out, test.err)
			}
		})
	}
}

// A dry run of a node says what keeps this machine or this user from one.
func TestDryRunOfANode(t *testing.T) {
	t.Setenv("OPGEN_STATE", t.TempDir())
	expected, text := exitDone, "would start cluster \"default\" with a node in "
	if err := cluster.CheckNode(); err != nil {
		expected, text = exitTrouble, err.Error()
	}
	if code, _, message := commandLine("cluster", "up", "--node", "--dry-run"); code != expected || !strings.Contains(message, text) {
		t.Errorf("got %d, %q\nexpected %d, %q", code, message, expected, text)
	}
}

func TestClusterLifecycle(t *testing.T) {
	longtest.Skip(t, "it starts a control plane, and builds it on first use")
	t.Setenv("OPGEN_STATE", filepath.Join(t.TempDir(), "it's a state"))
	t.Setenv("KUBECONFIG", "")
	t.Setenv(assetsVariable, "")
	defer commandLine("cluster", "down")
	var report upReport
	code, out, message := commandLine("cluster", "up", "-o", "json")
	if code != exitDone || json.Unmarshal([]byte(out), &report) != nil || report.Existed {
		t.Fatalf("up: %d, %s, %s", code, out, message)
	}
	if code, _, message := commandLine("cluster", "up"); code != exitDone || !strings.Contains(message, "is running already at "+report.Server) {
		t.Errorf("up again: %d, %s", code, message)
	}
	if code, _, message := commandLine("cluster", "up", "--kubernetes", "1.33"); code != exitTrouble || !strings.Contains(message, "runs Kubernetes v1.36.3, not v1.33.13: run `opgen cluster down` first") {
		t.Errorf("up of another version: %d, %s", code, message)
	}
	if _, out, _ := commandLine("cluster", "status"); !regexp.MustCompile(`default +running +` + report.Server).MatchString(out) {
		t.Errorf("status: %s", out)
	}
	_, out, _ = commandLine("cluster", "env")
	shell := exec.Command("sh", "-c", out+`printf '%s\n' "$KUBECONFIG" "$OPGEN_AUDIT_LOG" && ls "$KUBEBUILDER_ASSETS"`)
	values, err := shell.CombinedOutput()
	if want := report.Kubeconfig + "\n" + report.AuditLog + "\netcd\nkube-apiserver\nkube-controller-manager\nkubectl\nkubernetes\n"; err != nil || string(values) != want {
		t.Errorf("env: %s, %v", values, err)
	}
	t.Run("kubectl", expectKubectl)
	if code, _, message := commandLine("cluster", "down", "--dry-run"); code != exitDone || !strings.Contains(message, "would stop cluster \"default\"") {
		t.Errorf("down --dry-run: %d, %s", code, message)
	}
	if code, _, message := commandLine("cluster", "down"); code != exitDone || message != "cluster \"default\" is gone\n" {
		t.Errorf("down: %d, %s", code, message)
	}
	if _, err := os.Stat(report.Dir); !os.IsNotExist(err) {
		t.Errorf("%s is left", report.Dir)
	}
}

func expectKubectl(t *testing.T) {
	dir := t.TempDir()
	kustomization := "resources: [map.yaml]\nnamePrefix: made-\n"
	manifest := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map}\n"
	for name, content := range map[string]string{"kustomization.yaml": kustomization, "map.yaml": manifest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		args, input string
		code        int
		out         string
	}{
		{"apply -k " + dir, "", 0, "configmap/made-map created\n"},
		{"apply -f -", manifest, 0, "configmap/map created\n"},
		{"--name default get configmap made-map -o name", "", 0, "configmap/made-map\n"},
		{"get configmap absent", "", 1, "configmaps \"absent\" not found"},
		{"create token default", "", 0, "."},
		{"version", "", 0, "Server Version: v1.36"},
	} {
		if code, out := kubectlOutput(t, test.input, strings.Fields(test.args)...); code != test.code || !strings.Contains(out, test.out) {
			t.Errorf("kubectl %s: %d, %s\nexpected %d, %s", test.args, code, out, test.code, test.out)
		}
	}
}

// kubectlOutput runs opgen cluster kubectl and returns its exit code and what it wrote.
func kubectlOutput(t *testing.T, input string, args ...string) (code int, out string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// TestMain makes this executable opgen when it is called so.
	cmd := &exec.Cmd{Path: self, Args: append([]string{"opgen", "cluster", "kubectl"}, args...), Stdin: strings.NewReader(input)}
	output, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(output)
}
