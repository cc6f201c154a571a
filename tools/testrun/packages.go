package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// testPackage is a package that go test is called with.
type testPackage struct {
	path         string
	tests        int  // functions Test… and Fuzz… that are run
	needsCluster bool // its tests read OPGEN_TEST_KUBECONFIG, or start a control plane
	size         int  // packages that its tests import, directly or not
}

// The groups of packages.
const (
	small   = "small" // need no cluster, and are soon compiled
	pure    = "pure"  // the others that need no cluster
	cluster = "cluster"
)

// smallSize is how many imports a small package has at most: those with clients or servers of Kubernetes have more.
const smallSize = 450

func (p testPackage) group() string {
	switch {
	case p.needsCluster:
		return cluster
	case p.size <= smallSize:
		return small
	default:
		return pure
	}
}

// listed is a package as go list prints it.
type listed struct {
	ImportPath, Dir, ForTest           string
	Stale, DepOnly                     bool
	Deps                               []string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// list returns the packages of a command, and how many are to be compiled for them. Those with few imports come first, since
// their tests soon run. What needs a cluster has the reverse order.
func (c command) list(ctx context.Context, d *display) (packages []testPackage, stale int, err error) {
	// Without EmbedFiles, go would not read them, and what embeds files would look stale.
	args := []string{"list", "-deps", "-json=ImportPath,Dir,ForTest,Stale,DepOnly,Deps,GoFiles,TestGoFiles,XTestGoFiles,EmbedFiles"}
	if c.verb == "test" {
		args = append(args, "-test")
	}
	output, err := runList(exec.CommandContext(ctx, "go", append(args, c.patterns...)...), d)
	if err != nil {
		return nil, 0, err
	}
	all := graph{}
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, 0, err
		}
		all[p.ImportPath] = &p
	}
	packages = all.testPackages(newTestFilter(c.flags))
	if c.group != "" {
		packages = slices.DeleteFunc(packages, func(p testPackage) bool { return p.group() != c.group })
	}
	if c.group == cluster {
		slices.Reverse(packages) // those that link most take longest
	}
	return packages, all.countStale(packages), nil
}

// runList runs go list, shows how many modules it downloads, and returns what it prints.
func runList(list *exec.Cmd, d *display) ([]byte, error) {
	var output bytes.Buffer
	list.Stdout = &output
	stderr, err := list.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := list.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		d.showGo(lines.Text())
	}
	return output.Bytes(), list.Wait()
}

// graph is what go list has listed, by import path.
type graph map[string]*listed

// testPackages returns the packages that were asked for.
func (all graph) testPackages(isRun func(test string) bool) (packages []testPackage) {
	for _, p := range all {
		if p.DepOnly || p.ForTest != "" || strings.HasSuffix(p.ImportPath, testMain) {
			continue
		}
		binary := all.binaryOf(p)
		tests := testPackage{path: p.ImportPath, size: len(binary.Deps)}
		for _, name := range append(p.TestGoFiles, p.XTestGoFiles...) {
			tests.tests += countTests(filepath.Join(p.Dir, name), isRun)
		}
		tests.needsCluster = slices.ContainsFunc(binary.Deps, func(path string) bool { return all[path].needsCluster() })
		packages = append(packages, tests)
	}
	slices.SortFunc(packages, func(a, b testPackage) int { return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.path, b.path)) })
	return packages
}

// binaryOf returns the binary with the tests of a package, or a package without tests itself.
func (all graph) binaryOf(p *listed) *listed {
	if binary, hasTests := all[p.ImportPath+testMain]; hasTests {
		return binary
	}
	return p
}

// countStale returns how many packages Go's cache does not have that these packages need.
func (all graph) countStale(packages []testPackage) int {
	stale := map[string]bool{}
	for _, p := range packages {
		binary := all.binaryOf(all[p.path])
		for _, path := range append(binary.Deps, binary.ImportPath) {
			if all[path].Stale && !strings.HasSuffix(path, testMain) {
				stale[path] = true
			}
		}
	}
	return len(stale)
}

// needsCluster reports whether a package reads the kubeconfig of tests, or starts control planes.
func (p *listed) needsCluster() bool {
	path, _, _ := strings.Cut(p.ImportPath, " ") // without the test that it is compiled for
	if !strings.HasPrefix(path, modulePath) {
		return false
	}
	return path == modulePath+"internal/cluster" || slices.ContainsFunc(p.GoFiles, func(name string) bool {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		return err == nil && bytes.Contains(text, []byte(`"OPGEN_TEST_KUBECONFIG"`))
	})
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w*)\(\w+ \*testing\.[TF]\)`)

func countTests(file string, isRun func(test string) bool) (count int) {
	text, _ := os.ReadFile(file) // go test says what is wrong with it
	for _, function := range testFunction.FindAllSubmatch(text, -1) {
		if isRun(string(function[1])) {
			count++
		}
	}
	return count
}

// newTestFilter returns whether go test runs a test, by the flags -run and -skip. Of their patterns, what is for subtests is
// not looked at.
func newTestFilter(flags []string) (isRun func(test string) bool) {
	matches := func(test, name string, otherwise bool) bool {
		for _, flag := range flags {
			value, isIt := strings.CutPrefix(flag, name)
			top, ofSubtests, isOfSubtests := strings.Cut(value, "/")
			if pattern, err := regexp.Compile(top); isIt && err == nil && (otherwise || !isOfSubtests || ofSubtests == "") {
				return pattern.MatchString(test)
			}
		}
		return otherwise
	}
	return func(test string) bool { return matches(test, "-run=", true) && !matches(test, "-skip=", false) }
}
