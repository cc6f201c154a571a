package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// The results of an example.
const (
	passed = "passed"
	failed = "FAILED"
)

// runAll tests examples, some at once, and prints the output of each when it has ended.
func runAll(rows []*row, parallel int, cases bool) {
	var printing sync.Mutex
	slots := make(chan struct{}, max(parallel, 1))
	var all sync.WaitGroup
	for _, r := range rows {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			start := time.Now()
			output, err := r.run(cases)
			r.seconds, r.result = time.Since(start).Seconds(), passed
			if err != nil {
				r.result, output = failed, output+err.Error()+"\n"
			}
			printing.Lock()
			defer printing.Unlock()
			fmt.Printf("== %s: %s\n%s\n", r.folder, r.result, output)
		})
	}
	all.Wait()
}

// run checks and tests an example, and reads what its tests have recorded of its requests.
func (r *row) run(cases bool) (output string, err error) {
	requests, err := os.MkdirTemp("", "opgen-requests-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(requests) }()
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	opgen := filepath.Join(root, "bin", "opgen")
	steps := [][]string{{opgen, "check"}, {filepath.Join(root, ".ci", "gotestsum"), "./..."}}
	environment := append(os.Environ(), "OPGEN_TEST_REQUESTS="+requests)
	if cases {
		environment = append(environment, "OPGEN_TEST_KUBECONFIG=")
	} else {
		steps = append(steps, []string{opgen, "check", "--requests", requests})
	}
	var printed bytes.Buffer
	for _, step := range steps {
		command := exec.Command(step[0], step[1:]...)
		command.Dir, command.Env, command.Stdout, command.Stderr = r.folder, environment, &printed, &printed
		if err := command.Run(); err != nil {
			return printed.String(), fmt.Errorf("%s: %w", strings.Join(step, " "), err)
		}
	}
	r.toConverge, err = fewestToConverge(requests)
	return printed.String(), err
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
