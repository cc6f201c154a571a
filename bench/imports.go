package main

import (
	"context"
	"fmt"
	"path/filepath"
)

// ownCRDs are those that opgen's tests were written with, for who has no others.
const ownCRDs = "tools/corpus/testdata/crds"

// crdFiles returns the CRDs to work on, sorted, and what they are.
func (b *bench) crdFiles() (files []string, what string, err error) {
	for _, pattern := range []string{filepath.Join(b.crds, "*", "*.yaml"), filepath.Join(b.crds, "*.yaml")} {
		if files, err = filepath.Glob(pattern); len(files) > 0 {
			return absolute(files), fmt.Sprintf("%d files of CRDs", len(files)), nil
		}
	}
	files, err = filepath.Glob(filepath.Join(b.peers.checkout, ownCRDs, "*.yaml"))
	return files, fmt.Sprintf("%d files of CRDs of %s, for want of a folder %s", len(files), ownCRDs, b.crds), err
}

func absolute(files []string) []string {
	for i, file := range files {
		if abs, err := filepath.Abs(file); err == nil {
			files[i] = abs
		}
	}
	return files
}

// imports compares taking CRDs to specs and back to CRDs with parsing their YAML and nothing else.
func (b *bench) imports(ctx context.Context) error {
	files, what, err := b.crdFiles()
	if err != nil {
		return err
	}
	stage := func(name, stage string) contender {
		return contender{name: name, dir: b.peers.checkout, args: append([]string{b.peers.pipeline, stage}, files...)}
	}
	rows, err := b.timeInTurn(ctx, b.runs,
		stage("import, CRD made and checked", "crd"),
		stage("parse the same with go.yaml.in/yaml/v3, to nodes", "parse"),
		stage("parse the same with sigs.k8s.io/yaml, to the Go type", "unmarshal"),
		stage("import, CRD made, checked and written as YAML", "write"),
	)
	if err != nil {
		return err
	}
	made, nodes, typed, written := rows[0], rows[1], rows[2], rows[3]
	b.table.add("import and make again: "+what+", in one process", rows,
		factor("times parsing to nodes, wall", int64(made.wall()), int64(nodes.wall()), 5),
		factor("times parsing to nodes, processor", int64(made.cpu()), int64(nodes.cpu()), 5),
		fact{text: "with the YAML of the CRDs, times parsing to nodes, wall", value: fmt.Sprintf("%.2f", float64(written.wall())/float64(nodes.wall()))},
		factor("times parsing to the Go type, wall", int64(made.wall()), int64(typed.wall()), 5),
	)
	return nil
}
