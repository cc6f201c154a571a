package image

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// testPush checks that what a registry gives back is what was built, with the software bill of materials referring to it.
// A registry without the API for such references gets them under a tag.
func testPush(t *testing.T, built *Image, referrers bool) {
	own := built.plan.Tag
	defer func() { built.plan.Tag = own }()
	built.plan.Tag = tagAt(t, startRegistry(t, registry.WithReferrersSupport(referrers)))
	if err := built.plan.CheckPush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := built.Push(t.Context()); err != nil {
		t.Fatal(err)
	}
	pulled, err := remote.Index(built.plan.Tag)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := pulled.Digest(); err != nil || got.String() != built.Digest {
		t.Errorf("pulled %s, built %s: %v", got, built.Digest, err)
	}
	if err := validate.Index(pulled); err != nil {
		t.Error(err)
	}
	checkReferrer(t, built.plan.Request, built)
}

// checkReferrer checks that the only artifact that refers to an image is its document.
func checkReferrer(t *testing.T, r Request, built *Image) {
	t.Helper()
	found, err := remote.Referrers(r.Tag.Context().Digest(built.Digest))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := found.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(manifest.Manifests) != 1 {
		t.Fatalf("%d artifacts refer to the image", len(manifest.Manifests))
	}
	sbom, err := remote.Image(r.Tag.Context().Digest(manifest.Manifests[0].Digest.String()))
	if err != nil {
		t.Fatal(err)
	}
	own, err := sbom.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if own.ArtifactType != "application/spdx+json" {
		t.Errorf("the artifact type is %q", own.ArtifactType)
	}
	layers, err := sbom.Layers()
	if err != nil {
		t.Fatal(err)
	}
	content, err := layers[0].Compressed()
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(content)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(r.SBOMFile())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the artifact is another document (-want +got):\n%s", diff)
	}
}

func TestRefusedPush(t *testing.T) {
	gone := startRegistry(t)
	gone.Close()
	for _, test := range []struct {
		name     string
		registry *httptest.Server
		want     []string
	}{
		{"no registry", gone, []string{"push to ", "does not answer"}},
		{"not logged in", answering(t, http.StatusUnauthorized), []string{"push to ", "log in: docker login "}},
		{"no permission", answering(t, http.StatusForbidden), []string{"push to ", "log in: docker login "}},
		{"no such repository", answering(t, http.StatusNotFound), []string{"check the name of the image"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := request(t, newProject(t))
			r.Tag = tagAt(t, test.registry)
			plan, err := NewPlan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			err = plan.CheckPush(t.Context())
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("the error is: %v\nwant %q in it", err, want)
				}
			}
		})
	}
}

// A registry that takes connections and says nothing is given up.
func TestSilentRegistry(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	r := request(t, newProject(t))
	if r.Tag, err = ParseTag(listener.Addr().String() + "/op/echo:v1"); err != nil {
		t.Fatal(err)
	}
	plan, err := NewPlan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	plan.checkTime = 100 * time.Millisecond
	ended := make(chan error, 1)
	go func() { ended <- plan.CheckPush(t.Context()) }()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "does not answer in time\n") {
			t.Errorf("the error is: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it waits on")
	}
}

// An image that is named by its digest lies below, with its layers and its environment.
func TestBase(t *testing.T) {
	r := request(t, newProject(t))
	r.Tag = tagAt(t, startRegistry(t))
	digest := pushBase(t, r)
	base, err := DigestOf(t.Context(), r.Tag.Context().Name()+":base")
	if err != nil {
		t.Fatal(err)
	}
	if want := r.Tag.Context().Name() + ":base@" + digest.String(); base.String() != want {
		t.Errorf("the base is %s, want %s", base, want)
	}
	r.Base, r.Platforms = &base, bothPlatforms[1:]
	built := build(t, r)
	for _, one := range built.Platforms {
		config, err := one.image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"BASE=" + one.Platform}, config.Config.Env); diff != "" {
			t.Error(diff)
		}
		labels := config.Config.Labels
		if labels["org.opencontainers.image.base.name"] != r.Tag.Context().Name()+":base" || labels["org.opencontainers.image.base.digest"] != digest.String() {
			t.Errorf("labels: %v", labels)
		}
		manifest, err := one.image.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		if len(manifest.Layers) != 2 || manifest.Layers[0].MediaType != types.OCILayer {
			t.Errorf("layers: %v", manifest.Layers)
		}
		if files := filesOf(t, one.image); files["manager"] == nil || string(files["base"].content) != one.Platform {
			t.Errorf("%s: files of another base", one.Platform)
		}
	}
	r.Platforms = []string{"linux/s390x"}
	plan, err := NewPlan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Build(t.Context()); err == nil || !strings.HasSuffix(err.Error(), "is not for linux/s390x: it is for linux/amd64, linux/arm64") {
		t.Errorf("the error is: %v", err)
	}
}

// pushBase pushes a base image, of the types that Docker writes, for both platforms.
func pushBase(t *testing.T, r Request) v1.Hash {
	t.Helper()
	index := v1.ImageIndex(empty.Index)
	for _, platform := range bothPlatforms {
		layer, err := writeLayer(t.TempDir()+"/layer", []entry{{name: "base", mode: 0o644, content: []byte(platform)}}, epoch)
		if err != nil {
			t.Fatal(err)
		}
		compressed, err := layer.Compressed()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(compressed)
		if err != nil {
			t.Fatal(err)
		}
		image, err := mutate.AppendLayers(empty.Image, static.NewLayer(content, types.DockerLayer))
		if err != nil {
			t.Fatal(err)
		}
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		config = config.DeepCopy()
		diffID, err := layer.DiffID()
		if err != nil {
			t.Fatal(err)
		}
		p := parsePlatform(platform)
		config.OS, config.Architecture, config.Config.Env, config.RootFS.DiffIDs = p.OS, p.Architecture, []string{"BASE=" + platform}, []v1.Hash{diffID}
		if image, err = mutate.ConfigFile(image, config); err != nil {
			t.Fatal(err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &p}})
	}
	if err := remote.WriteIndex(r.Tag.Context().Tag("base"), index); err != nil {
		t.Fatal(err)
	}
	digest, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

// startRegistry starts a registry on loopback.
func startRegistry(t *testing.T, options ...registry.Option) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(registry.New(append(options, registry.Logger(log.New(io.Discard, "", 0)))...))
	t.Cleanup(server.Close)
	return server
}

// answering starts a registry that refuses every upload with a status.
func answering(t *testing.T, status int) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			w.WriteHeader(status)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func tagAt(t *testing.T, server *httptest.Server) name.Tag {
	t.Helper()
	tag, err := ParseTag(strings.TrimPrefix(server.URL, "http://") + "/op/echo:v1")
	if err != nil {
		t.Fatal(err)
	}
	return tag
}
