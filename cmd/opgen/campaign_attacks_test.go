package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/longtest"
)

// attackedNames returns the commands that a test attacks: all of them, or two in short mode.
func attackedNames(t *testing.T) []string {
	t.Helper()
	short := []string{"delete controller", "generate"}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(attackedCommands)), func(name string) bool { return slices.Contains(short, name) })
	return append(short, longtest.Cases(t, others, 0, "each attack runs a command a dozen times")...)
}

// Wherever a command is killed, the same command afterwards makes the tree that it was to make.
func TestKilledCommands(t *testing.T) {
	runCampaigns(t, attackedNames(t), func(t *testing.T, c campaign) {
		for i := range longtest.Cases(t, make([]int, times(t, "OPGEN_KILLS", 20)), 4, "each kill runs a command twice") {
			dir := c.copy(t)
			cmd := c.command(t, dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 { // at any moment, or while it writes
				time.Sleep(rand.N(c.usual))
			} else {
				c.awaitWrites(dir)
				time.Sleep(rand.N(3 * time.Millisecond))
			}
			_ = cmd.Process.Kill() // it may have ended
			_ = cmd.Wait()
			c.complete(t, dir)
		}
	})
}

// awaitWrites waits until the command begins to write, at most for the time that it usually takes.
func (c campaign) awaitWrites(dir string) {
	for begin := time.Now(); time.Since(begin) < c.usual; time.Sleep(time.Millisecond / 2) {
		for _, pattern := range []string{".opgen-apply", "*/.opgen-apply"} {
			if found, _ := filepath.Glob(filepath.Join(c.workDir(dir), pattern)); len(found) > 0 {
				return
			}
		}
	}
}

// Without HOME, and without all that is found through it, a command does the same.
func TestCommandsWithoutHome(t *testing.T) {
	goSettings := goEnvironment(t, "GOCACHE", "GOMODCACHE")
	runCampaigns(t, attackedNames(t), func(t *testing.T, c campaign) {
		dir := c.copy(t)
		cmd := c.command(t, dir)
		cmd.Env = slices.DeleteFunc(cmd.Env, func(setting string) bool {
			name, _, _ := strings.Cut(setting, "=")
			return name == "HOME" || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "OPGEN_")
		})
		cmd.Env = append(cmd.Env, goSettings...)
		if code, said := exitOf(t, cmd); code != exitDone {
			t.Errorf("exit code %d\n%s", code, said)
		}
		if diff := cmp.Diff(c.want, treeOf(t, dir)); diff != "" {
			t.Errorf("the tree is another (-want +got):\n%s", diff)
		}
	})
}

// No command follows a symbolic link in the place of a folder or a file that it writes.
func TestCommandsStayInTheProject(t *testing.T) {
	runCampaigns(t, attackedNames(t), func(t *testing.T, c campaign) {
		before := treeOf(t, c.base)
		folders, files := c.written(before)
		for i, folder := range longtest.Cases(t, folders, 2, "each folder is a run") {
			c.attackByLink(t, folder, i%2 == 0, true)
		}
		for i, file := range longtest.Cases(t, files, 2, "each file is a run") {
			c.attackByLink(t, file, i%2 == 0, false)
		}
		c.attackStaging(t)
	})
}

// attackStaging runs the command where the folder in which it stages files is a link.
func (c campaign) attackStaging(t *testing.T) {
	t.Helper()
	if c.outside || c.follows != "" {
		return
	}
	dir := c.copy(t)
	outside := filepath.Join(filepath.Dir(dir), "outside")
	writeText(t, filepath.Join(outside, "thesis.txt"), "mine")
	if err := os.Symlink(outside, filepath.Join(c.workDir(dir), ".opgen-apply")); err != nil {
		t.Skip(err)
	}
	code, said := c.run(t, dir)
	got := treeOf(t, dir)
	delete(got, "op/.opgen-apply") // opgen image stages nothing
	if diff := cmp.Diff(c.want, got); diff != "" || code != exitDone {
		t.Errorf(".opgen-apply is a link: exit code %d, and the tree is another (-want +got):\n%s\n%s", code, diff, said)
	}
	if diff := cmp.Diff(map[string]string{"thesis.txt": "mine"}, treeOf(t, outside)); diff != "" {
		t.Errorf(".opgen-apply is a link: something outside has changed (-before +after):\n%s", diff)
	}
}

// written returns the folders and files that the command writes or removes, but for the cache.
func (c campaign) written(before map[string]string) (folders, files []string) {
	for _, file := range slices.Sorted(maps.Keys(c.want)) {
		if c.want[file] != before[file] {
			files = append(files, file)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(before)) {
		if _, stays := c.want[file]; !stays {
			files = append(files, file)
		}
	}
	named := path.Join("op", c.follows)
	if c.outside {
		named = c.follows
	}
	for _, file := range files {
		for folder := path.Dir(file); folder != "." && folder != "op"; folder = path.Dir(folder) {
			if !slices.Contains(folders, folder) && (c.follows == "" || folder != named) {
				folders = append(folders, folder)
			}
		}
	}
	return folders, files
}

// attackByLink runs the command where a file or a folder is a link that leads out of the project.
func (c campaign) attackByLink(t *testing.T, name string, absolute, isFolder bool) {
	t.Helper()
	dir := c.copy(t)
	outside := filepath.Join(filepath.Dir(dir), "outside")
	link, target := filepath.Join(dir, filepath.FromSlash(name)), filepath.Join(outside, path.Base(name))
	writeText(t, filepath.Join(outside, "thesis.txt"), "mine")
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(link, target); err != nil && isFolder { // it is not there yet
		writeText(t, filepath.Join(target, "photo.jpg"), "mine")
	} else if err != nil {
		writeText(t, target, "mine")
	}
	if !absolute {
		var err error
		if target, err = filepath.Rel(filepath.Dir(link), target); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	before, beforeOutside := treeOf(t, dir), treeOf(t, outside)
	code, said := c.run(t, dir)
	if diff := cmp.Diff(beforeOutside, treeOf(t, outside)); diff != "" {
		t.Errorf("%s is a link: something outside has changed (-before +after):\n%s\n%s", name, diff, said)
	}
	switch {
	case code != exitDone:
		if diff := cmp.Diff(before, treeOf(t, dir)); diff != "" {
			t.Errorf("%s is a link: something was written (-before +after):\n%s\n%s", name, diff, said)
		}
	case isFolder:
		t.Errorf("%s is a link, and opgen %s does not refuse it:\n%s", name, c.args, said)
	}
	if isFolder && !strings.Contains(said, "is a symbolic link") && !strings.Contains(said, "is not empty") {
		t.Errorf("%s is a link, and the message does not say so:\n%s", name, said)
	}
}

// Commands that only read write nothing, neither in a project that is out of date nor in one that has errors.
func TestReadersWriteNothing(t *testing.T) {
	base := newAttackedProject(t)
	changeSpec(t, filepath.Join(base, "op"))
	for _, broken := range []bool{false, true} {
		if broken {
			edit(t, filepath.Join(base, "op", "opgen.yaml"), "nonsense: true\n")
		}
		for _, args := range []string{
			"check", "diff", "diff --crd deploy", "crd api/cup.yaml", "schema", "import deploy/zz_generated.crd.yaml", "generate --dry-run",
			"create api --group demo --version v1 --kind More --dry-run", "create controller more --parent v1/Service --dry-run",
			"delete api --kind Cup --dry-run", "delete controller pods --dry-run", "package manifests --image example.com/op:v1 --dry-run",
			"image --tag example.com/op:v1 --dry-run", "crd api/cup.yaml --dir out --dry-run",
		} {
			t.Run(fmt.Sprint(args, broken), func(t *testing.T) {
				c := campaign{attacked: attacked{args: args}, base: base}
				before := treeOf(t, base)
				code, said := c.run(t, base)
				if diff := cmp.Diff(before, treeOf(t, base)); diff != "" {
					t.Errorf("exit code %d, and it has written (-before +after):\n%s\n%s", code, diff, said)
				}
			})
		}
	}
}
