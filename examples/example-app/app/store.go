package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// store keeps each key in a file DATA/v<format>/<key>, the key in base64. In format 1, the file is the value.
// In format 2, the time of the last write is in a line before it. A write replaces the whole file, so a reader
// sees one value or the other, whichever process writes.
type store struct {
	folder string
	format int
}

func folderOf(data string, format int) string {
	return filepath.Join(data, fmt.Sprintf("v%d", format))
}

// existingFormats returns the formats that a data folder has: one, unless a conversion was cut off.
func existingFormats(data string) []int {
	var formats []int
	for format := 1; format <= 2; format++ {
		if _, err := os.Stat(folderOf(data, format)); err == nil {
			formats = append(formats, format)
		}
	}
	return formats
}

// openStore opens the data, or begins it in an empty folder. Data of another format is an error.
func openStore(data string, format int) (*store, error) {
	s := &store{folder: folderOf(data, format), format: format}
	switch formats := existingFormats(data); {
	case len(formats) == 1 && formats[0] == format:
		return s, nil
	case len(formats) > 0:
		return nil, fmt.Errorf("the data has another format than %d: run app migrate", format)
	}
	return s, os.MkdirAll(s.folder, 0o700)
}

func (s *store) dataFolder() string { return filepath.Dir(s.folder) }

func (s *store) path(key string) string {
	return filepath.Join(s.folder, base64.RawURLEncoding.EncodeToString([]byte(key)))
}

func (s *store) get(key string) (value []byte, found bool, err error) {
	content, err := os.ReadFile(s.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err == nil && s.format == 2 {
		_, content, _ = bytes.Cut(content, []byte("\n"))
	}
	return content, err == nil, err
}

func (s *store) put(key string, value []byte, now time.Time) error {
	if s.format == 2 {
		value = append([]byte(now.UTC().Format(time.RFC3339)+"\n"), value...)
	}
	return writeFile(s.path(key), value)
}

func (s *store) remove(key string) error {
	if err := os.Remove(s.path(key)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// keys returns all keys, in the order of their files.
func (s *store) keys() ([]string, error) {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return nil, err
	}
	keys := []string{}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue // is being written
		}
		key, err := base64.RawURLEncoding.DecodeString(entry.Name())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		keys = append(keys, string(key))
	}
	return keys, nil
}

// writeFile writes a whole file, or leaves it as it is.
func writeFile(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
