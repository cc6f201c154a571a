package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// dump is all data of the application, whatever its format.
type dump struct {
	Version string            `json:"version"` // of the application that wrote it
	Values  map[string][]byte `json:"values"`
}

func (s *store) dump() (dump, error) {
	all := dump{Version: version, Values: map[string][]byte{}}
	keys, err := s.keys()
	if err != nil {
		return all, err
	}
	for _, key := range keys {
		value, found, err := s.get(key)
		if err != nil {
			return all, err
		}
		if found { // it may be removed meanwhile
			all.Values[key] = value
		}
	}
	return all, nil
}

// replaceData has a data folder contain these values in a format, and nothing else. A run that is cut off
// leaves what was there, or is repeated.
func replaceData(data string, format int, values map[string][]byte) error {
	next := &store{folder: filepath.Join(data, ".next"), format: format}
	if err := errors.Join(os.RemoveAll(next.folder), os.MkdirAll(next.folder, 0o700)); err != nil {
		return err
	}
	now := time.Now()
	for key, value := range values {
		if err := next.put(key, value, now); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(folderOf(data, format)); err != nil {
		return err
	}
	if err := os.Rename(next.folder, folderOf(data, format)); err != nil {
		return err
	}
	return removeOtherFormats(data, format)
}

func removeOtherFormats(data string, format int) error {
	for _, other := range existingFormats(data) {
		if other == format {
			continue
		}
		if err := os.RemoveAll(folderOf(data, other)); err != nil {
			return err
		}
	}
	return nil
}

// migrate converts data into a format. It changes nothing of data that has the format.
func migrate(data string, format int) error {
	formats := existingFormats(data)
	for _, existing := range formats {
		if existing == format { // the other one is left of a run that was cut off
			return removeOtherFormats(data, format)
		}
	}
	if len(formats) == 0 {
		return nil
	}
	old := &store{folder: folderOf(data, formats[0]), format: formats[0]}
	all, err := old.dump()
	if err != nil {
		return err
	}
	return replaceData(data, format, all.Values)
}

func backup(ctx context.Context, data, to string, keep int) error {
	s, err := openStore(data, dataFormat())
	if err != nil {
		return err
	}
	all, err := s.dump()
	if err != nil {
		return err
	}
	content, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if !strings.Contains(to, "://") {
		return errors.Join(writeFile(to, content), removeOldBackups(to, keep))
	}
	_, err = request(ctx, http.MethodPut, to, content)
	return err
}

// removeOldBackups keeps the latest backups in the folder of one, of those whose names differ after the last dash.
func removeOldBackups(latest string, keep int) error {
	dash := strings.LastIndex(latest, "-")
	if keep == 0 || dash < 0 {
		return nil
	}
	files, err := filepath.Glob(latest[:dash] + "-*")
	if err != nil {
		return err
	}
	written := map[string]time.Time{}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		written[file] = info.ModTime()
	}
	slices.SortFunc(files, func(a, b string) int {
		return cmp.Or(written[b].Compare(written[a]), cmp.Compare(b, a))
	})
	for _, file := range files[min(keep, len(files)):] {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

func restore(ctx context.Context, data, from string) error {
	content, err := readBackup(ctx, from)
	if err != nil {
		return err
	}
	var all dump
	if err := json.Unmarshal(content, &all); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return replaceData(data, dataFormat(), all.Values)
}

func readBackup(ctx context.Context, from string) ([]byte, error) {
	if strings.Contains(from, "://") {
		return request(ctx, http.MethodGet, from, nil)
	}
	return os.ReadFile(from)
}

func request(ctx context.Context, method, url string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("%s %s: %s", method, url, response.Status)
	}
	return io.ReadAll(response.Body)
}
