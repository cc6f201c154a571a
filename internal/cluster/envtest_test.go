//go:build unix

package cluster

import (
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func TestEnvtestTakesTheAssets(t *testing.T) {
	o := realOptions(t, "envtest")
	assets, err := Build(t.Context(), o.Cache, o.Release, nil)
	if err != nil {
		t.Fatal(err)
	}
	environment := &envtest.Environment{BinaryAssetsDirectory: assets.Dir, ControlPlaneStartTimeout: 5 * time.Minute} // beside other tests
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	}()
	admin, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, admin, configMap("made-in-envtest"))
}
