//go:build linux || darwin

package usertemplates

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/opgen-dev/opgen/internal/longtest"
)

// beginPrefix begins the line that names the attack of a child process.
const beginPrefix = "attack: "

// TestAttacks renders each attack in a process with 3 GB of address space, and 10 seconds of a processor for each.
func TestAttacks(t *testing.T) {
	all := longtest.Cases(t, slices.Sorted(maps.Keys(allAttacks())), 60, "each takes what the limits allow")
	if os.Getenv("OPGEN_ATTACK") != "" {
		attackAll(all)
		return
	}
	for done := 0; done < len(all); {
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
		cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -v 3000000 && exec "$0" "$@"`, os.Args[0], "-test.run=^TestAttacks$", fmt.Sprintf("-test.short=%t", testing.Short()))
		cmd.Env = append(os.Environ(), "OPGEN_ATTACK="+fmt.Sprint(done+1), "GOMEMLIMIT=1500MiB")
		out, err := cmd.CombinedOutput()
		cancel()
		begun := strings.Count("\n"+string(out), "\n"+beginPrefix)
		done += begun
		if err == nil {
			break
		}
		_, last, _ := cutLast(string(out), beginPrefix)
		name, message, _ := strings.Cut(last, "\n")
		t.Errorf("%s: %v: %.200s", name, err, message)
		if begun == 0 {
			t.Fatalf("nothing has begun: %s", out)
		}
	}
}

func cutLast(text, sep string) (before, after string, found bool) {
	at := strings.LastIndex(text, sep)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(sep):], true
}

// processorTime returns the time of processors that this process has taken, which does not depend on other processes.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// endAfter ends the process when it has taken a time of processors, unless done is closed before.
func endAfter(limit time.Duration, done chan struct{}) {
	for processorTime() < limit {
		select {
		case <-done:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
	fmt.Println("takes more than 10 seconds")
	os.Exit(3)
}

// attackAll renders the attacks from a number on, in this process. It ends the process when one of them takes too long.
func attackAll(names []string) {
	all := allAttacks()
	first, err := strconv.Atoi(os.Getenv("OPGEN_ATTACK"))
	if err != nil {
		panic(err)
	}
	for _, name := range names[first-1:] {
		fmt.Println(beginPrefix + name)
		begin, done := processorTime(), make(chan struct{})
		go endAfter(begin+10*time.Second, done)
		files, problems := renderSource(Folder{Name: "templates", Files: map[string][]byte{"a.tmpl": []byte(all[name])}})
		close(done)
		size := 0
		for _, f := range files {
			size += len(f.Content)
		}
		if os.Getenv("OPGEN_ATTACK_TIMES") != "" {
			fmt.Printf("  %s, %d bytes, %.150s\n", processorTime()-begin, size, string(bytes.ReplaceAll([]byte(problems), []byte("\n"), []byte(" "))))
		}
		debug.FreeOSMemory()
	}
}
