// Command web is what the tests of the node run in Pods: an HTTP server that says who it is, asks another one, and
// keeps a text in /data.
package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const file = "/data/text"

func main() {
	if len(os.Args) > 1 { // for kubectl exec
		_, _ = os.Stdout.WriteString(os.Args[1] + "\n")
		return
	}
	http.HandleFunc("GET /name", func(w http.ResponseWriter, _ *http.Request) {
		name, _ := os.Hostname()
		_, _ = io.WriteString(w, name)
	})
	http.HandleFunc("GET /ask", askOther)
	http.HandleFunc("GET /text", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	http.HandleFunc("POST /text", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
		reportError(w, err)
	})
	_, _ = os.Stdout.WriteString("serving\n")
	go func() { panic(http.ListenAndServe(":8080", nil)) }()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
}

func askOther(w http.ResponseWriter, r *http.Request) {
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}} // each asks kube-proxy again
	answer, err := client.Get(r.FormValue("url"))
	if err == nil {
		defer answer.Body.Close()
		_, err = io.Copy(w, answer.Body)
	}
	reportError(w, err)
}

func reportError(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
