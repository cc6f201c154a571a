module github.com/opgen-dev/opgen/tools/licences

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/google/licensecheck v0.3.1
	golang.org/x/mod v0.43.0
)
