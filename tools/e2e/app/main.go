// Command app is what the Pods of the end-to-end tests run: an HTTP server that answers with the name that it has been
// given, the name of its Pod, and the Pods that have ever started on its volume. /fetch?host=HOST:PORT answers with what
// another one says.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// address is the port that the example echo-server expects.
const address = ":3000"

// started is the file on the volume that has a line for each start.
var started = filepath.Join("/data", "started")

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	if err := noteStart(host); err != nil {
		return err
	}
	answers := http.NewServeMux()
	answers.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		data, _ := os.ReadFile(started)
		fmt.Fprintf(w, "%s %s\n%s", os.Getenv("SERVICE_NAME"), host, data)
	})
	answers.HandleFunc("/fetch", fetch)
	server := &http.Server{Addr: address, ReadHeaderTimeout: time.Second, Handler: answers}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	go func() { <-ended; _ = server.Close() }()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// fetch answers with what another server says.
func fetch(w http.ResponseWriter, r *http.Request) {
	client := &http.Client{Timeout: 5 * time.Second}
	answer, err := client.Get("http://" + r.FormValue("host"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	_, _ = io.Copy(w, answer.Body)
}

// noteStart appends the name of the Pod to the file, if there is a volume.
func noteStart(host string) error {
	file, err := os.OpenFile(started, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, host)
	return errors.Join(err, file.Close())
}
