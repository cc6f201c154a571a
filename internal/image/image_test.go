package image

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"
)

var bothPlatforms = []string{"linux/amd64", "linux/arm64"}

// TestImage builds one image and looks at it from all sides: each build links two executables.
func TestImage(t *testing.T) {
	r := request(t, newProject(t))
	built := build(t, r)
	files := archiveOf(t, built)
	t.Run("content", func(t *testing.T) { testContent(t, built, imagesOf(t, files)) })
	t.Run("SBOM", func(t *testing.T) { testSBOM(t, built) })
	t.Run("manifest of Docker", func(t *testing.T) { testDockerManifest(t, files) })
	t.Run("push", func(t *testing.T) { testPush(t, built, true) })
	t.Run("push without the referrers API", func(t *testing.T) { testPush(t, built, false) })
	t.Run("reproducible", func(t *testing.T) { testReproducible(t, built, files) })
}

// testReproducible checks that the same sources give the same digest in another folder, by another user and at another time.
func testReproducible(t *testing.T, first *Image, files map[string][]byte) {
	defer setUmask(0o077)()
	keepCaches(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("USER", "somebody")
	t.Setenv("GOAMD64", "v3")
	dir := newProject(t)
	past := time.Now().Add(-1000 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "main.go"), past, past); err != nil {
		t.Fatal(err)
	}
	r := request(t, dir)
	second := build(t, r)
	if first.Digest != second.Digest {
		t.Errorf("digests %s and %s", first.Digest, second.Digest)
	}
	if diff := cmp.Diff(string(files["index.json"]), string(archiveOf(t, second)["index.json"])); diff != "" {
		t.Errorf("index.json (-first +second):\n%s", diff)
	}
	r.Created, r.Platforms = time.Unix(1700000000, 0).UTC(), bothPlatforms[:1]
	dated := build(t, r)
	config, err := dated.Platforms[0].image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	const want = "2023-11-14T22:13:20Z"
	if got := config.Created.Format(time.RFC3339); got != want || config.Config.Labels["org.opencontainers.image.created"] != want {
		t.Errorf("the image was made at %s, with the labels %v", got, config.Config.Labels)
	}
}

func testContent(t *testing.T, built *Image, index v1.ImageIndex) {
	for i, platform := range bothPlatforms {
		image, err := index.Image(v1.Hash{Algorithm: "sha256", Hex: strings.TrimPrefix(built.Platforms[i].Digest, "sha256:")})
		if err != nil {
			t.Fatal(err)
		}
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if got := config.Platform().String(); got != platform {
			t.Errorf("the platform is %s, want %s", got, platform)
		}
		want := v1.Config{User: "65532:65532", Entrypoint: []string{"/manager"}, WorkingDir: "/", Labels: map[string]string{
			"org.opencontainers.image.title":   "echo-operator",
			"org.opencontainers.image.source":  "https://github.com/example/echo",
			"org.opencontainers.image.version": "v1",
		}}
		if diff := cmp.Diff(want, config.Config); diff != "" {
			t.Errorf("%s (-want +got):\n%s", platform, diff)
		}
		checkFiles(t, filesOf(t, image))
	}
}

// checkFiles checks the files of an image, and who may do what with them.
func checkFiles(t *testing.T, files map[string]*file) {
	t.Helper()
	for name, want := range map[string]tar.Header{
		"manager":       {Mode: 0o755},
		"tmp":           {Mode: 0o1777},
		"home/nonroot":  {Mode: 0o700, Uid: 65532, Gid: 65532},
		"etc/passwd":    {Mode: 0o644},
		"etc/group":     {Mode: 0o644},
		"etc/ssl/certs": {Mode: 0o755},
	} {
		got := files[name]
		if got == nil {
			t.Errorf("%s is missing", name)
			continue
		}
		if got.header.Mode != want.Mode || got.header.Uid != want.Uid || got.header.Gid != want.Gid || got.header.ModTime.Unix() != 0 {
			t.Errorf("%s: mode %o, owner %d:%d, time %s", name, got.header.Mode, got.header.Uid, got.header.Gid, got.header.ModTime)
		}
	}
	if roots := x509.NewCertPool(); !roots.AppendCertsFromPEM(files[certificatesFile].content) {
		t.Errorf("%s has no certificates", certificatesFile)
	}
}

// testSBOM checks that the document names what each executable is made of, and the image that it is about.
func testSBOM(t *testing.T, built *Image) {
	text, err := os.ReadFile(built.plan.SBOMFile())
	if err != nil {
		t.Fatal(err)
	}
	var document spdx.Document
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, p := range document.Packages {
		found[p.PackageName] = p.PackageExternalReferences[0].Locator
	}
	want := map[string]string{
		"github.com/example/echo":      "pkg:golang/github.com/example/echo",
		"example.com/lib":              "pkg:golang/example.com/lib",
		"stdlib":                       "pkg:golang/stdlib@" + strings.TrimPrefix(runtime.Version(), "go"),
		"registry.example.com/op/echo": found["registry.example.com/op/echo"],
		CertificatesModule:             found[CertificatesModule],
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(found[CertificatesModule], "pkg:golang/"+CertificatesModule) {
		t.Errorf("the certificates are %q", found[CertificatesModule])
	}
	if !bytes.Contains(text, []byte("pkg:oci/echo@"+strings.Replace(built.Digest, ":", "%3A", 1))) {
		t.Errorf("the document does not name %s", built.Digest)
	}
	for _, one := range built.Platforms {
		if !bytes.Contains(text, []byte(strings.TrimPrefix(one.Digest, "sha256:"))) {
			t.Errorf("the document does not name %s of %s", one.Digest, one.Platform)
		}
	}
}

// testDockerManifest checks what a Docker reads that does not keep images in containerd.
func testDockerManifest(t *testing.T, files map[string][]byte) {
	var manifests []dockerManifest
	if err := json.Unmarshal(files["manifest.json"], &manifests); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"registry.example.com/op/echo:v1"}, manifests[0].RepoTags); diff != "" {
		t.Error(diff)
	}
	for _, blob := range append(manifests[0].Layers, manifests[0].Config) {
		if files[blob] == nil {
			t.Errorf("%s is not in the archive", blob)
		}
	}
}

// A build that fails leaves what an earlier one has written, and nothing else.
func TestFailedBuildWritesNothing(t *testing.T) {
	dir := newProject(t)
	r := request(t, dir)
	writeFile(t, r.Archive, "of an earlier build")
	writeFile(t, filepath.Join(r.WorkDir(), "base.tar.gz"), "of a build that was killed")
	writeFile(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() { undefined() }\n")
	plan, err := NewPlan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = plan.Build(t.Context()); err == nil || !strings.Contains(err.Error(), "go build for linux/amd64: # github.com/example/echo\n./main.go:3:15: undefined: undefined") {
		t.Errorf("the error is: %v", err)
	}
	if content := archiveContent(t, r.Archive); string(content) != "of an earlier build" {
		t.Error("the archive has changed")
	}
	if diff := cmp.Diff([]string{"image.tar"}, namesIn(t, filepath.Dir(r.Archive))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInterruptedBuild(t *testing.T) {
	r := request(t, newProject(t))
	ctx, cancel := context.WithCancel(t.Context())
	r.Progress = func(string) { cancel() }
	plan, err := NewPlan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Build(ctx); err == nil {
		t.Error("an interrupted build has succeeded")
	}
	if names := namesIn(t, filepath.Dir(r.WorkDir())); len(names) > 0 {
		t.Errorf("it leaves %v", names)
	}
}

func TestNoMain(t *testing.T) {
	dir := newProject(t)
	writeFile(t, filepath.Join(dir, "main.go"), "package echo\n")
	for pkg, want := range map[string]string{
		".":     ". is not a package main",
		"./cmd": "./cmd: stat " + filepath.Join(dir, "cmd") + ": directory not found",
	} {
		r := request(t, dir)
		r.Package = pkg
		_, err := NewPlan(t.Context(), r)
		if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "such as: opgen image ./cmd") {
			t.Errorf("%s: %v", pkg, err)
		}
	}
}

// imagesOf returns the image in an archive, through its name.
func imagesOf(t *testing.T, files map[string][]byte) v1.ImageIndex {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		writeFile(t, filepath.Join(dir, name), string(content))
	}
	found, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := found.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	named := manifest.Manifests[0]
	want := map[string]string{"io.containerd.image.name": "registry.example.com/op/echo:v1", "org.opencontainers.image.ref.name": "v1"}
	if diff := cmp.Diff(want, named.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	index, err := found.ImageIndex(named.Digest)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

// file is a file of an image.
type file struct {
	header  *tar.Header
	content []byte
}

// filesOf returns the files of an image by their names.
func filesOf(t *testing.T, image v1.Image) map[string]*file {
	t.Helper()
	reader := mutate.Extract(image)
	defer reader.Close()
	return readTar(t, reader)
}

func readTar(t *testing.T, r io.Reader) map[string]*file {
	t.Helper()
	files := map[string]*file{}
	for archive := tar.NewReader(r); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(header.Name, "/")] = &file{header, content}
	}
}
