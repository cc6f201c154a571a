package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
)

// idle is a command that does nothing: what the start of a process takes.
func (b *bench) idle() contender {
	return contender{name: "opgen version", dir: b.peers.checkout, args: []string{b.peers.opgen, "version"}}
}

// unchanged is opgen for a project that the last run found up to date.
func (b *bench) unchanged(dir string) contender {
	c := contender{name: "opgen generate, nothing changed", dir: dir, args: []string{b.peers.opgen, "generate"}}
	plain := c
	c.before = func(ctx context.Context) error {
		for range 2 { // the first may have something to change
			if _, err := plain.run(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	return c
}

// oneChanged is opgen for a project after a change of a description in a spec file of middling size.
func (b *bench) oneChanged(dir string) (contender, error) {
	file, text, at, err := middlingSpec(dir)
	if err != nil {
		return contender{}, err
	}
	c := b.unchanged(dir)
	current, changes := c.before, 0
	c.name = "opgen generate, one kind changed"
	c.before = func(ctx context.Context) error {
		if err := current(ctx); err != nil {
			return err
		}
		changes++
		return os.WriteFile(file, slices.Concat(text[:at], fmt.Appendf(nil, "Change %d. ", changes), text[at:]), 0o644)
	}
	return c, nil
}

// middlingSpec returns the spec file of median size among those that describe a field by a comment, and where the text
// of the comment begins.
func middlingSpec(dir string) (file string, text []byte, at int, err error) {
	type described struct {
		file string
		text []byte
		at   int
	}
	var all []described
	for _, file := range specsIn(dir + "/api") {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", nil, 0, err
		}
		const comment = "\n      # "
		if at := bytes.Index(text, []byte(comment)); at >= 0 {
			all = append(all, described{file, text, at + len(comment)})
		}
	}
	if len(all) == 0 {
		return "", nil, 0, fmt.Errorf("no spec file in %s describes a field by a comment", dir)
	}
	slices.SortFunc(all, func(a, b described) int { return cmp.Compare(len(a.text), len(b.text)) })
	middle := all[len(all)/2]
	return middle.file, middle.text, middle.at, nil
}
