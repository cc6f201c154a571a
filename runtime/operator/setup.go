package operator

import "sigs.k8s.io/controller-runtime/pkg/client"

func setUp[P client.Object, S, C, D any](mgr Manager, options Options, definition Definition[P, S, C, D]) error {
	return nil
}
