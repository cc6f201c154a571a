package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAuthorsFilesOfAnUpgrade(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"left-as-made": "old\n", "changed": "old\nmine\n", "nothing-new": "mine\n", "has-it-already": "new\n", "windows": "old\r\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before, made := map[string][]byte{}, map[string][]byte{}
	for _, name := range []string{"left-as-made", "changed", "nothing-new", "has-it-already", "windows", "removed-by-its-author"} {
		before[name], made[name] = []byte("old\n"), []byte("new\n")
	}
	made["nothing-new"] = before["nothing-new"]
	var a authorChanges
	if err := a.compare(dir, before, made); err != nil {
		t.Fatal(err)
	}
	var replaced []string
	for _, c := range a.replaced.Pending() {
		replaced = append(replaced, c.Path+": "+string(c.New))
	}
	if len(replaced) != 2 || replaced[0] != "left-as-made: new\n" || replaced[1] != "windows: new\n" {
		t.Errorf("replaced %q, expected left-as-made and windows", replaced)
	}
	if len(a.open) != 1 || a.open[0].Path != "changed" || string(a.open[0].Old) != "old\n" || string(a.open[0].New) != "new\n" {
		t.Errorf("open: %v, expected what is new in changed", a.open)
	}
}
