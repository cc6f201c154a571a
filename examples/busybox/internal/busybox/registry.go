package busybox

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// registry is a repository of images in a registry that serves it without a login.
type registry struct {
	host, repository string
}

// imageOf returns the image that a tag stands for now, by its digest.
func (r registry) imageOf(ctx context.Context, tag string) (string, error) {
	url := fmt.Sprintf("%s/v2/%s/manifests/%s", r.host, r.repository, tag)
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return "", err
	}
	// Without a list of all platforms, the registry would answer with the image of one.
	request.Header.Add("Accept", "application/vnd.oci.image.index.v1+json")
	request.Header.Add("Accept", "application/vnd.docker.distribution.manifest.list.v2+json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	digest := response.Header.Get("Docker-Content-Digest")
	if response.StatusCode != http.StatusOK || digest == "" {
		return "", fmt.Errorf("%s answers %s", r.host, response.Status)
	}
	return strings.TrimPrefix(r.host, "https://") + "/" + r.repository + "@" + digest, nil
}
