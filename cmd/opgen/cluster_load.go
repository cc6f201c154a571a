package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/cluster"
)

// loadReport is what opgen cluster load -o json prints.
type loadReport struct {
	Images []string `json:"images"`
}

func newClusterLoad(s streams) *cobra.Command {
	var (
		name instanceName
		out  outputFlag
	)
	cmd := &cobra.Command{
		Use:   "load ARCHIVE",
		Short: "Load images into the node of a local cluster",
		Long: `Loads the images of a tar archive into a cluster that was started with --node, under the names that the archive
gives them. The archive is an OCI image layout, as "make image" writes it, or an output of docker save.`,
		Args:    cobra.ExactArgs(1),
		Example: "  opgen cluster load bin/image.tar",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.checkFormat(); err != nil {
				return err
			}
			instance, err := name.findRunning()
			if err != nil {
				return err
			}
			archive, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer archive.Close()
			images, err := instance.LoadImages(cmd.Context(), archive)
			if errors.Is(err, cluster.ErrNoNode) {
				return fmt.Errorf("%w: start one that has, with `%s --node`", err, name.upCommand())
			}
			if err != nil {
				return fmt.Errorf("load %s: %w", args[0], err)
			}
			if out.json() {
				return writeJSON(s.out, loadReport{images})
			}
			for _, image := range images {
				fmt.Fprintf(s.err, "loaded %s\n", image)
			}
			return nil
		},
	}
	name.addFlag(cmd)
	out.addFlag(cmd)
	return cmd
}
