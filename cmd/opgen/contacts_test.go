package main

import (
	"bufio"
	"cmp"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"github.com/opgen-dev/opgen/internal/workdir"
)

// contactOf has the hosts of the test, by what the table of SECURITY.md calls them. None of them exists.
var contactOf = map[string]string{
	"api.contacts.test": "the API server", "base.contacts.test": "the registry", "push.contacts.test": "the registry",
	"kustomize.contacts.test": "what the kustomization names", "modules": "Go modules", "sum.contacts.test": "Go modules",
}

// contactCounter is the proxy of all commands, the proxy of Go modules and, in a network of its own, the name server. It
// reaches nothing.
type contactCounter struct {
	mu    sync.Mutex
	found []string
	proxy string
}

func (c *contactCounter) add(host string) {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if contact := cmp.Or(contactOf[strings.TrimSuffix(host, ".")], "the host "+host); !slices.Contains(c.found, contact) {
		c.found = append(c.found, contact)
	}
}

// take returns what was contacted since the last call.
func (c *contactCounter) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.found
	c.found = nil
	slices.Sort(found)
	return found
}

func newContactCounter(t *testing.T) *contactCounter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &contactCounter{proxy: listener.Addr().String()}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := cmp.Or(r.URL.Host, r.Host) // of a CONNECT, it is the path
		if strings.HasPrefix(host, "127.0.0.1:") {
			host = "modules" // GOPROXY is this address
		}
		c.add(host)
		http.Error(w, "counted, and not reached", http.StatusNotFound)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return c
}

// environment returns the variables of a command that has nothing of this user and of this machine but Go itself.
func (c *contactCounter) environment(t *testing.T, dir, path string) []string {
	t.Helper()
	_, checksums, err := note.GenerateKey(nil, "sum.contacts.test")
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		"HTTP_PROXY=http://" + c.proxy, "HTTPS_PROXY=http://" + c.proxy, "http_proxy=http://" + c.proxy, "https_proxy=http://" + c.proxy, "ALL_PROXY=http://" + c.proxy,
		"GOPROXY=http://" + c.proxy, "GOSUMDB=" + checksums, "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod -modcacherw", "CGO_ENABLED=0", "HOME=" + dir, "XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"OPGEN_CACHE=" + filepath.Join(dir, "cache"), "OPGEN_STATE=" + filepath.Join(dir, "state"), "KUBECONFIG=" + filepath.Join(dir, "kubeconfig"),
		"PATH=" + path, "TMPDIR=" + dir, goEnvironment(t, "GOCACHE")[0], "GOMODCACHE=" + filepath.Join(dir, "modules"),
	}
}

// contactsTable reads the table of contacts: from each command to what it may contact.
func contactsTable(t *testing.T) map[string][]string {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	table, inTable := map[string][]string{}, false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		cells := strings.Split(strings.Trim(lines.Text(), "| "), " | ")
		switch {
		case strings.HasPrefix(cells[0], "---"):
		case len(cells) != 2:
			inTable = false
		case cells[0] == "Command":
			inTable = true
		case inTable:
			var contacts []string
			for part := range strings.SplitSeq(cells[1], "; ") {
				contact, _, _ := strings.Cut(part, ":")
				if contact != "nothing" {
					contacts = append(contacts, contact)
				}
			}
			slices.Sort(contacts)
			for i, command := range strings.Split(cells[0], "`") {
				if i%2 == 1 {
					table[command] = contacts
				}
			}
		}
	}
	return table
}

// leafCommands returns the commands that do something, as users write them.
func leafCommands(cmd *cobra.Command) []string {
	if !cmd.HasSubCommands() {
		return []string{strings.TrimPrefix(cmd.CommandPath(), "opgen ")}
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.Name() != "help" {
			names = append(names, leafCommands(sub)...)
		}
	}
	return names
}

// rowOf returns the row of a command, or of the commands that it is one of.
func rowOf(table map[string][]string, command string) ([]string, bool) {
	for name := command; name != ""; name = name[:max(strings.LastIndex(name, " "), 0)] {
		if row, found := table[name]; found {
			return row, true
		}
	}
	return nil, false
}

// TestContacts runs each command with everything that can lead to the network: modules that the machine does not have, a
// kustomization with a URL, an image above another, a registry, an API server. What it asks for is what SECURITY.md says.
func TestContacts(t *testing.T) {
	if os.Getenv(inNetworkOfItsOwn) == "" && runInNetworkOfItsOwn(t) {
		return
	}
	counter, table := newContactCounter(t), contactsTable(t)
	if os.Getenv(inNetworkOfItsOwn) != "" {
		counter.serveNames(t)
	}
	kubectl, programs := findKubectlProgram(), linkPrograms(t)
	for _, command := range leafCommands(newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard})) {
		expected, found := rowOf(table, command)
		if !found {
			t.Errorf("the table of SECURITY.md has no row for opgen %s", command)
			continue
		}
		runs, found := contactRuns[command]
		if !found {
			t.Errorf("no run of opgen %s is tried", command)
			continue
		}
		var contacts []string
		for _, args := range runs {
			path := programs
			if rest, needsKubectl := strings.CutPrefix(args, "kubectl: "); needsKubectl {
				if kubectl == "" {
					t.Logf("opgen %s: not tried, since there is no kubectl here", rest)
					contacts = append(contacts, "the API server")
					continue
				}
				args, path = rest, filepath.Dir(kubectl)+":"+programs
			}
			contacts = append(contacts, counter.runCommand(t, args, path)...)
		}
		slices.Sort(contacts)
		if contacts = slices.Compact(contacts); !slices.Equal(contacts, expected) {
			t.Errorf("opgen %s contacts %q, and SECURITY.md says %q", command, contacts, expected)
		}
	}
}

// linkPrograms returns a folder with the programs that commands run, but for kubectl.
func linkPrograms(t *testing.T) string {
	t.Helper()
	dir := workdir.New(t, "programs")
	for _, name := range []string{"go", "git", "sh"} {
		file, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(file, filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runCommand runs a command in a new project with the programs of a path, and returns what it has contacted.
func (c *contactCounter) runCommand(t *testing.T, args, path string) []string {
	t.Helper()
	dir := workdir.New(t, "contacts")
	writeContactProject(t, dir)
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Args = append([]string{"opgen"}, strings.Fields(args)...)
	cmd.Dir, cmd.Env = filepath.Join(dir, "op"), c.environment(t, dir, path)
	c.take()
	out, err := cmd.CombinedOutput()
	found := c.take()
	t.Logf("opgen %s: %q, %v\n%.300s", args, found, err, out)
	return found
}
