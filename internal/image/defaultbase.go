package image

import (
	"bytes"
	"encoding/pem"
	"strconv"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// operatorID is the user and the group that the operator runs as.
const operatorID = 65532

// operatorUser is the user of an image, with its group. The kubelet accepts only numbers where a Pod has
// runAsNonRoot.
var operatorUser = strconv.Itoa(operatorID) + ":" + strconv.Itoa(operatorID)

// certificatesFile is where programs look for certificate authorities first.
const certificatesFile = "etc/ssl/certs/ca-certificates.crt"

// CertificatesModule is the Go module that the certificate authorities of the default base are from.
const CertificatesModule = "golang.org/x/crypto/x509roots/fallback"

const (
	passwd = `root:x:0:0:root:/:/sbin/nologin
nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin
`
	group = `root:x:0:
nonroot:x:65532:
`
)

// defaultBase returns the files below the executable where an author names no base image. Time zones are
// in the executable.
func defaultBase() []entry {
	return []entry{
		{name: "etc/", mode: 0o755},
		{name: "etc/group", mode: 0o644, content: []byte(group)},
		{name: "etc/passwd", mode: 0o644, content: []byte(passwd)},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: certificatesFile, mode: 0o644, content: certificates()},
		{name: "home/", mode: 0o755},
		{name: "home/nonroot/", mode: 0o700, ofOperator: true},
		{name: "tmp/", mode: 0o1777},
	}
}

// certificates returns the certificate authorities of Mozilla's list as PEM. It leaves out those that are
// trusted for older certificates alone, since PEM cannot express that.
func certificates() []byte {
	var all bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&all, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a Buffer returns no error
		}
	}
	return all.Bytes()
}
