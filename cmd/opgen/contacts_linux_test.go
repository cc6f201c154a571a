package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const inNetworkOfItsOwn = "OPGEN_TEST_OWN_NETWORK"

// runInNetworkOfItsOwn runs the test again in a network that has nothing but loopback, where the name server is one that
// counts. It reports false where the system does not allow that: then the proxies alone count.
func runInNetworkOfItsOwn(t *testing.T) bool {
	t.Helper()
	command := func(test string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+test+"$", "-test.v", "-test.timeout=8m")
		cmd.Env = append(os.Environ(), inNetworkOfItsOwn+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		return cmd
	}
	if out, err := command("TestNetworkOfItsOwn").CombinedOutput(); err != nil {
		t.Logf("no network of its own, so that no name server counts: %v\n%s", err, out)
		return false
	}
	out, err := command(t.Name()).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
	return true
}

// TestNetworkOfItsOwn fails where a process cannot have a network with a name server of its own.
func TestNetworkOfItsOwn(t *testing.T) {
	if os.Getenv(inNetworkOfItsOwn) == "" {
		t.Skip("TestContacts runs it in a network of its own")
	}
	new(contactCounter).serveNames(t)
}

// serveNames sets loopback up, and serves as the name server of this network. It knows no name.
func (c *contactCounter) serveNames(t *testing.T) {
	t.Helper()
	if err := setLoopbackUp(); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(config, []byte("nameserver 127.0.0.1\noptions attempts:1 timeout:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(config, "/etc/resolv.conf", "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	socket, err := net.ListenPacket("udp", "127.0.0.1:53")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	go func() {
		buffer := make([]byte, 1500)
		for {
			n, from, err := socket.ReadFrom(buffer)
			if err != nil {
				return
			}
			if n < 12 {
				continue
			}
			c.add(questionOf(buffer[12:n]))
			buffer[2], buffer[3] = buffer[2]|0x80, buffer[3]&0xf0|3 // an answer: there is no such name
			_, _ = socket.WriteTo(buffer[:n], from)
		}
	}()
	_, _ = net.LookupHost("counted.contacts.test") // the first question is one of the test itself
	if found := c.take(); len(found) != 1 || found[0] != "the host counted.contacts.test" {
		t.Fatalf("the name server has counted %q", found)
	}
}

// questionOf returns the name that a question of DNS begins with: labels, each after its length.
func questionOf(question []byte) string {
	var labels []string
	for len(question) > 0 && question[0] > 0 && int(question[0]) < len(question) {
		length := int(question[0])
		labels = append(labels, string(question[1:1+length]))
		question = question[1+length:]
	}
	return strings.Join(labels, ".")
}

func setLoopbackUp() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}
