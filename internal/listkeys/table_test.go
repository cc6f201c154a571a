package main

import (
	"bytes"
	"os"
	"testing"
)

func TestTableIsUpToDate(t *testing.T) {
	want, err := writeTable()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../runtime/internal/listmap/table.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the table is out of date: run go generate ./runtime/internal/listmap")
	}
}
