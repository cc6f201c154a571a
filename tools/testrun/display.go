package main

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// modulePath is what the packages of this repository begin with, which lines leave out.
const modulePath = "github.com/opgen-dev/opgen/"

const (
	// statusInterval is how long nothing is printed before a line says how far everything is.
	statusInterval = 12 * time.Second
	// estimateAfter is how long something takes before it has an estimate.
	estimateAfter = 30 * time.Second
)

// display prints lines, and says how far everything is when there is no other line.
type display struct {
	out  io.Writer
	stop chan struct{}

	mu        sync.Mutex
	begin     time.Time
	last      time.Time // when the last line was printed
	modules   int       // downloaded
	compiled  progress
	compiling time.Time            // the first package
	packages  map[string]*progress // with tests
	running   []string             // those whose tests run, the longest first
}

// progress is how much of something has happened.
type progress struct {
	begin    time.Time
	done, of int
	subtests int             // that have ended
	open     map[string]bool // tests that have begun and not ended
}

func startDisplay(out io.Writer) *display {
	d := &display{out: out, stop: make(chan struct{}), begin: time.Now(), last: time.Now(), packages: map[string]*progress{}}
	go func() {
		for ticker := time.NewTicker(time.Second); ; {
			select {
			case <-d.stop:
				ticker.Stop()
				return
			case <-ticker.C:
				d.printStatus()
			}
		}
	}()
	return d
}

func (d *display) close() { close(d.stop) }

// print prints a line, or several.
func (d *display) print(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.printLocked(text)
}

func (d *display) printLocked(text string) {
	fmt.Fprintln(d.out, text)
	d.last = time.Now()
}

// vcsCommand is how go says, with -x, that it asks git about the checkout, and how long that took.
var vcsCommand = regexp.MustCompile(`^([0-9.]+s # )?(cd .*|git .*)$`)

// showGo counts a module that go says that it downloads, and prints all else that it says.
func (d *display) showGo(line string) {
	if vcsCommand.MatchString(line) {
		return
	}
	if !strings.HasPrefix(line, "go: downloading ") {
		d.print(line)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.modules++
}

// expect takes the packages whose tests will run, and how many are to be compiled for them.
func (d *display) expect(packages []testPackage, stale int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.modules > 0 {
		d.printLocked(fmt.Sprintf(" ..   downloaded %d modules in %s", d.modules, seconds(time.Since(d.begin))))
	}
	d.compiled = progress{begin: time.Now(), of: stale}
	for _, p := range packages {
		d.packages[p.path] = &progress{of: p.tests}
	}
}

func (d *display) countCompiled() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.compiled.done++
}

// beginPackage notes that the tests of a package run.
func (d *display) beginPackage(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.packages[path] == nil {
		d.packages[path] = new(progress)
	}
	d.packages[path].begin = time.Now()
	d.running = append(d.running, path)
}

// beginTest notes that a test of a package has begun.
func (d *display) beginTest(path, test string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := d.packages[path]; p != nil && !strings.Contains(test, "/") {
		if p.open == nil {
			p.open = map[string]bool{}
		}
		p.open[test] = true
	}
}

// countTest notes that a test of a package has ended, or a subtest.
func (d *display) countTest(path, test string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch p := d.packages[path]; {
	case p == nil:
	case strings.Contains(test, "/"):
		p.subtests++
	default:
		p.done++
		delete(p.open, test)
	}
}

// endPackage prints the line of a package that has ended.
func (d *display) endPackage(path, line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running = slices.DeleteFunc(d.running, func(running string) bool { return running == path })
	if line != "" {
		d.printLocked(line)
	}
}

func (d *display) printStatus() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.last) >= statusInterval {
		d.printLocked(" ..   " + d.status())
	}
}

// shownPackages is how many packages a status names.
const shownPackages = 3

// shownTests is how many tests of a package are left when a status names them.
const shownTests = 2

// status says how far everything is.
func (d *display) status() string {
	var parts []string
	switch {
	case d.compiled.begin.IsZero():
		return fmt.Sprintf("looking for packages, %s; downloaded %d modules", seconds(time.Since(d.begin)), d.modules)
	case d.compiled.done < d.compiled.of:
		text := "compiled " + d.compiled.describe("packages")
		if len(d.running) == 0 { // else nobody waits for the compiler alone
			text += d.compiled.estimate()
		}
		parts = append(parts, text)
	case len(d.running) == 0:
		parts = append(parts, "linking, "+seconds(time.Since(d.compiled.begin)))
	}
	for _, path := range d.running[:min(len(d.running), shownPackages)] {
		parts = append(parts, shortPath(path)+" "+d.packages[path].describe("tests"))
	}
	if more := len(d.running) - shownPackages; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, "; ")
}

// describe returns for example "212 of 588 tests and 30 subtests, 1m40s".
func (p progress) describe(what string) string {
	if p.subtests > 0 {
		what += fmt.Sprintf(" and %d subtests", p.subtests)
	}
	text := fmt.Sprintf("%d of %d %s, %s", p.done, max(p.of, p.done), what, seconds(time.Since(p.begin)))
	if len(p.open) > 0 && p.of-p.done <= shownTests {
		text += " (" + strings.Join(slices.Sorted(maps.Keys(p.open)), ", ") + ")"
	}
	return text
}

// estimate says how long the rest takes, by how long what was done has taken.
func (p progress) estimate() string {
	took := time.Since(p.begin)
	if took < estimateAfter || p.done == 0 || p.done >= p.of {
		return ""
	}
	left := took * time.Duration(p.of-p.done) / time.Duration(p.done)
	return ", about " + seconds(left.Round(10*time.Second)) + " to go"
}

// seconds returns a time in seconds, without those of whole minutes: 40s, 1m40s, 2m.
func seconds(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	return text
}

func shortPath(path string) string { return strings.TrimPrefix(path, modulePath) }
