package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// eventually is "eventually PROGRAM ARG...": like exec, tried again until it succeeds, for a minute or
// what OPGEN_TEST_PATIENCE says.
func eventually(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: eventually PROGRAM ARG...")
	}
	patience, err := time.ParseDuration(cmp.Or(os.Getenv("OPGEN_TEST_PATIENCE"), "1m"))
	ts.Check(err)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if err = ts.Exec(args[0], args[1:]...); err == nil {
			return
		}
	}
	ts.Fatalf("not within %s: %v", patience, err)
}

// capture is "capture NAME": the variable NAME takes what the last program has printed.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: capture NAME")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// allowed is "allowed USER": the API server has served requests of USER and has refused none, says
// its audit log.
func allowed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: allowed USER")
	}
	file, err := os.Open(os.Getenv("OPGEN_AUDIT_LOG"))
	ts.Check(err)
	defer file.Close()
	served := 0
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event auditv1.Event
		ts.Check(json.Unmarshal(lines.Bytes(), &event))
		if event.User.Username != args[0] || event.ResponseStatus == nil {
			continue
		}
		served++
		if code := event.ResponseStatus.Code; code == 401 || code == 403 {
			ts.Fatalf("refused with %d: %s %s", code, event.Verb, event.RequestURI)
		}
	}
	ts.Check(lines.Err())
	if served == 0 {
		ts.Fatalf("%s has made no request", args[0])
	}
	ts.Logf("%d requests, none refused", served)
}
