package image

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// CheckPush returns an error if the registry of the image does not answer within half a minute, or does not let the image
// be pushed.
func (p *Plan) CheckPush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.checkTime)
	time.AfterFunc(2*p.checkTime, cancel) // after its end: what gives up the upload goes on in the background
	transport := limitedTransport{ctx, remote.DefaultTransport}
	return registryError(p.Tag, "push to", remote.CheckPushPermission(p.Tag, authn.DefaultKeychain, transport))
}

// Push pushes an image, and the software bill of materials as an artifact that refers to it.
func (b *Image) Push(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, transferTime)
	defer cancel()
	tag := b.plan.Tag
	b.plan.Progress("pushing to " + tag.RegistryStr())
	if err := remote.WriteIndex(tag, b.index, remoteOptions(ctx)...); err != nil {
		return registryError(tag, "push to", err)
	}
	digest, err := b.sbom.Digest()
	if err != nil {
		return err
	}
	return registryError(tag, "push to", remote.Write(tag.Context().Digest(digest.String()), b.sbom, remoteOptions(ctx)...))
}

// registryError returns an error of a registry with what to do about it. action is such as "push to".
func registryError(ref name.Reference, action string, err error) error {
	var (
		answer  *transport.Error
		request *url.Error
	)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s %s: interrupted", action, canonicalName(ref.Name()))
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s %s: the registry %s does not answer in time\n    check its address, and the network and proxy to it",
			action, canonicalName(ref.Name()), ref.Context().RegistryStr())
	case errors.As(err, &answer):
		return fmt.Errorf("%s %s: %w%s", action, canonicalName(ref.Name()), answer, answerHint(ref, answer.StatusCode))
	case errors.As(err, &request):
		return fmt.Errorf("%s %s: the registry %s does not answer: %w", action, canonicalName(ref.Name()), ref.Context().RegistryStr(), request.Err)
	}
	return fmt.Errorf("%s %s: %w", action, canonicalName(ref.Name()), err)
}

// answerHint returns what to do about the status of a registry's answer.
func answerHint(ref name.Reference, status int) string {
	registry := canonicalName(ref.Context().RegistryStr() + "/")
	registry = registry[:len(registry)-1]
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "\n    name an image that you have the right to, or log in: docker login " + registry
	case http.StatusNotFound:
		return "\n    check the name of the image; some registries want the repository to be made before"
	}
	return ""
}
