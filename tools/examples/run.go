package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// The results of an example.
const (
	passed = "passed"
	failed = "FAILED"
)

// runAll tests examples, some at once. Each line that is printed begins with the name of its example.
func runAll(rows []*row, parallel int) {
	slots := make(chan struct{}, max(parallel, 1))
	var all sync.WaitGroup
	for _, r := range rows {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			start, out := time.Now(), &lineWriter{begin: r.name() + ": "}
			err := r.run(out)
			r.seconds, r.result = time.Since(start).Seconds(), passed
			if err != nil {
				r.result = failed
				fmt.Fprintln(out, err)
			}
			fmt.Fprintln(out, r.result)
		})
	}
	all.Wait()
}

// lineWriter prints whole lines, each with the same beginning.
type lineWriter struct {
	begin string
	rest  []byte // a line that has not ended
}

func (w *lineWriter) Write(data []byte) (int, error) {
	w.rest = append(w.rest, data...)
	for {
		end := bytes.IndexByte(w.rest, '\n')
		if end < 0 {
			return len(data), nil
		}
		fmt.Printf("%s%s\n", w.begin, w.rest[:end])
		w.rest = w.rest[end+1:]
	}
}

// run checks and tests an example, with the flags of TEST_FLAGS, and reads what its tests have recorded of its requests.
func (r *row) run(out *lineWriter) error {
	requests, err := os.MkdirTemp("", "opgen-requests-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(requests) }()
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	opgen, testrun := filepath.Join(root, "bin", "opgen"), filepath.Join(root, "bin", "testrun")
	flags := strings.Fields(os.Getenv("TEST_FLAGS"))
	steps := [][]string{{opgen, "check"}, slices.Concat([]string{testrun, "test"}, flags, []string{"./..."}),
		{opgen, "check", "--requests", requests}}
	environment := append(os.Environ(), "OPGEN_TEST_REQUESTS="+requests)
	for _, step := range steps {
		command := exec.Command(step[0], step[1:]...)
		command.Dir, command.Env, command.Stdout, command.Stderr = r.folder, environment, out, out
		if err := command.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(step, " "), err)
		}
	}
	r.toConverge, err = fewestToConverge(requests)
	return err
}

// fewestToConverge returns the requests of the test that has converged with the fewest.
func fewestToConverge(folder string) (int, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return 0, err
	}
	fewest := 0
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		var recorded struct {
			ToConverge int `json:"toConverge"`
		}
		if err := json.Unmarshal(content, &recorded); err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		if n := recorded.ToConverge; n > 0 && (fewest == 0 || n < fewest) {
			fewest = n
		}
	}
	return fewest, nil
}
