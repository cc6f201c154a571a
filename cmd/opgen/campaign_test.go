package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// attacked is a command that writes files, with the folder that it is attacked in: a project op, beside it opgen's cache.
type attacked struct {
	args    string
	prepare func(t *testing.T, project string) // what somebody has changed before; nil: nothing
	outside bool                               // it runs in the folder of the project, and not in the project
	follows string                             // a folder that an argument names, which may be a link
}

// attackedCommands are the commands that write, by their names.
var attackedCommands = map[string]attacked{
	"init":              {args: "init new --module example.com/new --clients", outside: true, follows: "new"},
	"create api":        {args: "create api --group demo --version v1 --kind More --child v1/Pod"},
	"create controller": {args: "create controller more --parent v1/Service --child v1/ConfigMap"},
	"generate":          {args: "generate", prepare: changeSpec},
	"delete api":        {args: "delete api --kind Cup"},
	"delete controller": {args: "delete controller pods"},
	"import":            {args: "import deploy/zz_generated.crd.yaml --dir specs", follows: "specs"},
	"crd":               {args: "crd api/cup.yaml api/jug.yaml --dir crds", follows: "crds"},
	"schema":            {args: "schema --dir schemas", follows: "schemas"},
	"package manifests": {args: "package manifests --image example.com/op:v1"},
	"package helm":      {args: "package helm --version 1.0.0 --image example.com/op:v1"},
	"package olm":       {args: "package olm --version 1.0.0 --image example.com/op:v1"},
	"image":             {args: "image --tag example.com/op:v1 --platform linux/amd64", prepare: shortenProgram},
}

// otherCommands are those that are not in the campaign, with the reason.
var otherCommands = map[string]string{
	"upgrade":               "TestUpgradeOnAFullDisk and its neighbours; testdata/script/upgrade.txtar kills it, and runs it without HOME: it needs two releases",
	"check":                 "writes nothing: TestReadersWriteNothing",
	"diff":                  "writes nothing: TestReadersWriteNothing",
	"version":               "reads no file",
	"completion bash":       "reads no file",
	"completion zsh":        "reads no file",
	"completion fish":       "reads no file",
	"completion powershell": "reads no file",
	"deploy":                "writes to a cluster alone",
	"undeploy":              "writes to a cluster alone",
	"install":               "writes to a cluster alone",
	"uninstall":             "writes to a cluster alone",
	"cluster up":            "TestClusterOnAFullDisk and its neighbours; internal/cluster: TestInstancesOfOthers, and the tests of builds and starts that are stopped",
	"cluster down":          "TestClusterOnAReadOnlyFileSystem and its neighbours; internal/cluster: TestInstancesOfOthers",
	"cluster env":           "reads alone",
	"cluster kubectl":       "reads alone, but for kubectl's cache in the folder of the instance",
	"cluster load":          "writes to a node alone",
	"cluster ready":         "writes to a cluster alone",
	"cluster status":        "reads alone",
}

// A new command is attacked, or says why not.
func TestCampaignHasEveryCommand(t *testing.T) {
	named := slices.Concat(slices.Collect(maps.Keys(attackedCommands)), slices.Collect(maps.Keys(otherCommands)))
	var exist []string
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if !cmd.HasSubCommands() {
			exist = append(exist, strings.TrimPrefix(cmd.CommandPath(), "opgen "))
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	root := newRoot(streams{in: bytes.NewReader(nil), out: io.Discard, err: io.Discard})
	root.InitDefaultCompletionCmd("completion")
	walk(root)
	slices.Sort(named)
	slices.Sort(exist)
	exist = slices.DeleteFunc(exist, func(name string) bool { return name == "help" || strings.HasPrefix(name, "__") })
	if diff := cmp.Diff(exist, named); diff != "" {
		t.Errorf("commands of opgen, and of the campaign (-exist +named):\n%s", diff)
	}
}

// changeSpec changes what is generated.
func changeSpec(t *testing.T, project string) {
	t.Helper()
	edit(t, filepath.Join(project, "opgen.yaml"), "clients: true\n")
}

// shortenProgram makes a program of the project that links nothing.
func shortenProgram(t *testing.T, project string) {
	t.Helper()
	writeText(t, filepath.Join(project, "main.go"), "package main\n\nfunc main() {}\n")
	if err := os.Remove(filepath.Join(project, "zz_generated.controllers.go")); err != nil {
		t.Fatal(err)
	}
}

// campaign attacks one command.
type campaign struct {
	attacked
	base  string            // a folder with the project op in it, as it is before
	want  map[string]string // the files in a copy of the base, after the command
	usual time.Duration     // how long the command takes
}

// runCampaigns attacks some commands, each in a test of its own.
func runCampaigns(t *testing.T, names []string, attack func(t *testing.T, c campaign)) {
	t.Helper()
	base := newAttackedProject(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			c := campaign{attacked: attackedCommands[name], base: filepath.Join(t.TempDir(), "base")}
			copyTree(t, base, c.base)
			if c.prepare != nil {
				c.prepare(t, filepath.Join(c.base, "op"))
			}
			dir := c.copy(t)
			begin := time.Now()
			if out, err := c.command(t, dir).CombinedOutput(); err != nil {
				t.Fatalf("opgen %s: %v\n%s", c.args, err, out)
			}
			c.usual, c.want = time.Since(begin), treeOf(t, dir)
			if cmp.Equal(c.want, treeOf(t, c.base)) {
				t.Fatalf("opgen %s writes nothing", c.args)
			}
			attack(t, c)
		})
	}
}

// newAttackedProject makes a project with two APIs and a controller.
func newAttackedProject(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	for _, args := range []string{
		"init op --module example.com/op", "create api --group demo --version v1 --kind Cup --child v1/ConfigMap",
		"create api --group demo --version v1 --kind Jug --child v1/Secret", "create controller pods --parent v1/Pod --child v1/ConfigMap",
	} {
		c := campaign{attacked: attacked{args: args, outside: strings.HasPrefix(args, "init")}}
		if out, err := c.command(t, base).CombinedOutput(); err != nil {
			t.Fatalf("opgen %s: %v\n%s", args, err, out)
		}
	}
	return base
}

// copy returns a new copy of the folder of the project.
func (c campaign) copy(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	copyTree(t, c.base, dir)
	return dir
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// workDir returns where the command runs in a copy.
func (c campaign) workDir(dir string) string {
	if c.outside {
		return dir
	}
	return filepath.Join(dir, "op")
}

// command returns the command in a copy, with a cache of its own.
func (c campaign) command(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := opgenCommand(t, strings.Fields(c.args)...)
	cmd.Dir = c.workDir(dir)
	cmd.Env = append(os.Environ(), "OPGEN_CACHE="+filepath.Join(t.TempDir(), "cache"), "OPGEN_CONFIG=/nonexistent/config.yaml", "PWD="+cmd.Dir,
		"GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	return cmd
}

// run runs the command in a copy, and returns its exit code and what it says.
func (c campaign) run(t *testing.T, dir string) (code int, said string) {
	t.Helper()
	return exitOf(t, c.command(t, dir))
}

// exitOf runs a command, and returns its exit code and what it says, which is no stack trace.
func exitOf(t *testing.T, cmd *exec.Cmd) (code int, said string) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "goroutine ") {
		t.Errorf("it panics:\n%s", out)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// complete runs the command once more after an attack: it makes the same tree, and leaves nothing else.
func (c campaign) complete(t *testing.T, dir string) {
	t.Helper()
	code, said := c.run(t, dir)
	diff := cmp.Diff(c.want, treeOf(t, dir))
	if diff != "" {
		t.Fatalf("the tree is another (-want +got):\n%s\nopgen %s: exit code %d\n%s", diff, c.args, code, said)
	}
	if code != exitDone && code != exitInvalid { // what was deleted is no more
		t.Errorf("opgen %s: exit code %d\n%s", c.args, code, said)
	}
}

// expectFailure expects that the command has failed with one message, and has changed nothing.
func (c campaign) expectFailure(t *testing.T, before map[string]string, dir string, code int, said, want string) {
	t.Helper()
	if code == exitDone || code == exitFindings || !strings.Contains(said, want) {
		t.Errorf("opgen %s: exit code %d, want an error with %q\n%s", c.args, code, want, said)
	}
	if lines := strings.Count(strings.TrimSpace(said), "\n") + 1; lines > 4 {
		t.Errorf("it says %d lines:\n%s", lines, said)
	}
	if diff := cmp.Diff(before, treeOf(t, dir)); diff != "" {
		t.Errorf("something was written (-before +after):\n%s", diff)
	}
}

// treeOf returns the files, links and empty folders in a folder by their paths.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Type()&fs.ModeSymlink != 0:
			to, err := fs.ReadLink(root, name)
			all[name] = "-> " + to
			return err
		case entry.IsDir():
			if entries, err := fs.ReadDir(root, name); err != nil || len(entries) > 0 {
				return err
			}
			all[name] = "an empty folder"
			return nil
		}
		content, err := fs.ReadFile(root, name)
		all[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// goEnvironment returns settings of the go command as it has them now.
func goEnvironment(t *testing.T, names ...string) []string {
	t.Helper()
	settings := make([]string, len(names))
	for i, name := range names {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		settings[i] = name + "=" + strings.TrimSpace(string(value))
	}
	return settings
}
