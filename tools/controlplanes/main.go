// Command controlplanes builds the control planes that releases of opgen have beside the executable.
//
//	go run ./tools/controlplanes [PLATFORM...]
//
// It writes bin/releases/OS_ARCH/control-plane/ for each platform, such as linux/arm64: for that of this machine when
// none is named, and for each that one can be built for when the only argument is "all". A platform takes minutes the
// first time.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/opgen-dev/opgen/internal/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string) error {
	platforms, err := findPlatforms(names)
	if err != nil {
		return err
	}
	cache, err := cluster.DefaultCache()
	if err != nil {
		return err
	}
	for _, platform := range platforms {
		began := time.Now()
		fmt.Printf("control plane of %s\n", platform)
		file, err := cluster.BuildReleased(ctx, cache, platform, dirOf(platform), printPhases())
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		fmt.Printf("    %s, in %s\n", file, time.Since(began).Round(time.Second))
	}
	return nil
}

func dirOf(platform cluster.Platform) string {
	return filepath.Join("bin", "releases", platform.OS+"_"+platform.Arch)
}

func findPlatforms(names []string) ([]cluster.Platform, error) {
	switch {
	case len(names) == 0:
		names = []string{""}
	case len(names) == 1 && names[0] == "all":
		return cluster.Platforms(), nil
	}
	var platforms []cluster.Platform
	var problems []error
	for _, name := range names {
		platform, err := cluster.FindPlatform(name)
		platforms, problems = append(platforms, platform), append(problems, err)
	}
	return platforms, errors.Join(problems...)
}

// printPhases returns a function that prints a line when a phase begins.
func printPhases() cluster.ProgressFunc {
	var last cluster.Phase
	return func(p cluster.Progress) {
		if p.Phase != last {
			fmt.Printf("    %s\n", p.Phase)
		}
		last = p.Phase
	}
}
