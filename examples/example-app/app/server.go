package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

// settings are what the environment of a server says.
type settings struct {
	token    string // that clients send; "" lets everybody in
	maxValue int64  // bytes
}

func settingsFrom(getenv func(string) string) settings {
	s := settings{token: getenv("TOKEN"), maxValue: 1 << 20}
	if limit, err := strconv.ParseInt(getenv("MAX_VALUE_BYTES"), 10, 64); err == nil && limit > 0 {
		s.maxValue = limit
	}
	return s
}

// serve answers requests until the context ends.
func serve(ctx context.Context, data, listen string, with settings) error {
	s, err := openStore(data, dataFormat())
	if err != nil {
		return err
	}
	server := &http.Server{Addr: listen, Handler: newHandler(s, with), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.ListenAndServe() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	return server.Shutdown(last)
}

// newHandler returns the API: GET /keys, and GET, PUT and DELETE /keys/{key}.
func newHandler(s *store, with settings) http.Handler {
	keys := http.NewServeMux()
	keys.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		all, err := s.keys()
		if failed(w, err) {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(all)
	})
	keys.HandleFunc("GET /keys/{key}", func(w http.ResponseWriter, r *http.Request) {
		value, found, err := s.get(r.PathValue("key"))
		if failed(w, err) {
			return
		}
		if !found {
			http.Error(w, "there is no such key", http.StatusNotFound)
			return
		}
		_, _ = w.Write(value)
	})
	keys.HandleFunc("PUT /keys/{key}", func(w http.ResponseWriter, r *http.Request) {
		value, err := io.ReadAll(http.MaxBytesReader(w, r.Body, with.maxValue))
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			http.Error(w, "the value is too large", http.StatusRequestEntityTooLarge)
			return
		}
		if !failed(w, err) && !failed(w, s.put(r.PathValue("key"), value, time.Now())) {
			w.WriteHeader(http.StatusNoContent)
		}
	})
	keys.HandleFunc("DELETE /keys/{key}", func(w http.ResponseWriter, r *http.Request) {
		if !failed(w, s.remove(r.PathValue("key"))) {
			w.WriteHeader(http.StatusNoContent)
		}
	})

	all := http.NewServeMux()
	all.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, version+"\n") })
	all.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if _, err := openStore(s.dataFolder(), s.format); !failed(w, err) {
			_, _ = io.WriteString(w, "ok\n")
		}
	})
	all.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if with.token != "" && r.Header.Get("X-Auth-Token") != with.token {
			http.Error(w, "the token is wrong", http.StatusUnauthorized)
			return
		}
		keys.ServeHTTP(w, r)
	})
	return all
}

// failed answers an error, if there is one.
func failed(w http.ResponseWriter, err error) bool {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
	return err != nil
}
