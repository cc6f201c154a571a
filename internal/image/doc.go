// Package image builds the container image of an operator from its Go code, without a container runtime:
//
//	Request → NewPlan → Plan → Build → bin/image.tar, the SBOM beside it → Push
//
// For each platform, the go command compiles the operator, and the executable becomes the layer above a
// base: a few files that are written here, or an image that the author names by its digest. The same
// sources give the same digest, whatever the folder, the user and the time: file times are fixed, and
// nothing of the machine gets into a layer.
package image
