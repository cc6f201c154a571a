package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// smallest is how many properties the smallest schema has.
const smallest = 20

// growth shows how the time and memory of generation grow with the number of properties: in many objects, and all in
// one.
func (b *bench) growth(ctx context.Context) error {
	var contenders []contender
	var properties []int
	idle := b.idle()
	contenders = append(contenders, idle)
	for _, shape := range []struct {
		name string
		per  int // properties of an object; 0: all in one
	}{{"objects of 20 properties", 20}, {"one object", 0}} {
		for _, times := range []int{1, 10, 100} {
			n := smallest * times
			dir := filepath.Join(b.temp, fmt.Sprintf("growth-%d-%d", shape.per, n))
			if err := b.project(ctx, dir, schemaOf(n, shape.per)); err != nil {
				return err
			}
			properties = append(properties, n)
			contenders = append(contenders, contender{
				name: fmt.Sprintf("opgen generate --no-cache, %d properties, %s", n, shape.name), dir: dir,
				args: []string{b.peers.opgen, "generate", "--no-cache"},
			})
		}
	}
	rows, err := b.timeInTurn(ctx, b.runs, contenders...)
	if err != nil {
		return err
	}
	each := func(i int) time.Duration { return (rows[i+1].cpu() - rows[0].cpu()) / time.Duration(properties[i]) }
	var facts []fact
	for i, n := range properties {
		f := fact{text: fmt.Sprintf("processor time of each of %d properties, without the start of the process", n), value: each(i).String()}
		if n == 100*smallest {
			f = factor(fmt.Sprintf("time of each of %d properties (%s) over that of each of %d", n, each(i), properties[i-1]), int64(each(i)), int64(each(i-1)), 1.5)
		}
		facts = append(facts, f)
	}
	b.table.add("generation grows with the number of properties", rows, facts...)
	return nil
}

// project makes a project with one API.
func (b *bench) project(ctx context.Context, dir, spec string) error {
	file := dir + ".yaml"
	if err := os.WriteFile(file, []byte(spec), 0o644); err != nil {
		return err
	}
	for _, c := range []contender{
		{name: "opgen init", dir: b.peers.checkout, args: []string{b.peers.opgen, "init", dir, "--module", "example.com/growth"}},
		{name: "opgen create api", dir: dir, args: []string{b.peers.opgen, "create", "api", "-f", file}},
	} {
		if _, err := c.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// schemaOf returns an API whose spec has n properties of all sorts, in objects of as many each.
func schemaOf(n, per int) string {
	sorts := []string{
		"string | minLength=1 maxLength=63", "int32 | minimum=0 default=3", "bool", `"[]string | maxItems=10"`,
		"map[string]string", "string | enum=[One, Two] default=One", "time", "quantity",
	}
	var s strings.Builder
	s.WriteString("apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: bench.example.com\nnames: {kind: Large}\nversions:\n- name: v1\n  spec:\n    properties:\n")
	for i := range n {
		indent := "      "
		if per > 0 {
			if i%per == 0 {
				fmt.Fprintf(&s, "%s# Part %d of what is wanted.\n%spart%d:\n%s  properties:\n", indent, i/per, indent, i/per, indent)
			}
			indent += "    "
		}
		fmt.Fprintf(&s, "%s# Field number %d says what is wanted of it.\n%sfield%d: %s\n", indent, i, indent, i, sorts[i%len(sorts)])
	}
	return s.String()
}
