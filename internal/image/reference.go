package image

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// ParseTag returns the name of an image with its tag, such as registry.example.com/echo:v1.
func ParseTag(text string) (name.Tag, error) {
	if text == "" {
		return name.Tag{}, errors.New("the name of the image is missing: give it, such as --tag registry.example.com/echo:v1")
	}
	if strings.Contains(text, "@") {
		repository, _, _ := SplitReference(text)
		return name.Tag{}, fmt.Errorf("%q has a digest, which only the build determines\n    name the image with a tag, such as %s:v1", text, repository)
	}
	tag, err := name.NewTag(text)
	if err != nil || strings.Contains(text, "://") {
		return name.Tag{}, fmt.Errorf("%q is not the name of an image\n    write REGISTRY/NAME:TAG in lower case, such as registry.example.com/echo:v1", text)
	}
	return tag, nil
}

// ParseBase returns the base image that a text names by its digest. It returns an error without a
// digest.
func ParseBase(text string) (Base, error) {
	digest, err := name.NewDigest(text)
	if err != nil {
		return Base{}, fmt.Errorf("%q does not name an image by its digest\n    write REF@sha256:…, such as registry.example.com/base:v1@sha256:0123…", text)
	}
	named, _, _ := strings.Cut(text, "@")
	if tag, err := name.NewTag(named); err == nil && tag.TagStr() != name.DefaultTag {
		return Base{digest: digest, name: canonicalName(tag.Name())}, nil
	}
	return Base{digest: digest, name: canonicalName(digest.Context().Name())}, nil
}

// canonicalName returns a name as container runtimes know it: docker.io, where this library says
// index.docker.io.
func canonicalName(full string) string {
	if rest, isDockerHub := strings.CutPrefix(full, name.DefaultRegistry+"/"); isDockerHub {
		return "docker.io/" + rest
	}
	return full
}

// SplitReference returns the parts of the name of an image, such as registry:5000/echo:v1@sha256:…, as they stand.
// Parts that it lacks are empty.
func SplitReference(text string) (repository, tag, digest string) {
	repository, digest, _ = strings.Cut(text, "@")
	if colon := strings.LastIndexByte(repository, ':'); colon > strings.LastIndexByte(repository, '/') { // not the colon of a port
		repository, tag = repository[:colon], repository[colon+1:]
	}
	return repository, tag, digest
}
