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
		return name.Tag{}, fmt.Errorf("%q has a digest, which only the build determines\n    name the image with a tag, such as %s:v1", text, repositoryIn(text))
	}
	tag, err := name.NewTag(text)
	if err != nil || strings.Contains(text, "://") {
		return name.Tag{}, fmt.Errorf("%q is not the name of an image\n    write REGISTRY/NAME:TAG in lower case, such as registry.example.com/echo:v1", text)
	}
	return tag, nil
}

// ParseBase returns the base image that a text names by its digest. It returns an error without a
// digest, see MissingDigest.
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

// repositoryIn returns the repository of a reference that cannot be parsed as one.
func repositoryIn(text string) string {
	repository, _, _ := strings.Cut(text, "@")
	if colon := strings.LastIndex(repository, ":"); colon > strings.LastIndex(repository, "/") {
		repository = repository[:colon]
	}
	return repository
}
