package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/opgen-dev/opgen/internal/cluster"
	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/spec"
)

// completer returns the values that a flag may have on a command line.
type completer func(cmd *cobra.Command) []string

// completeFixed completes to values that are always the same.
func completeFixed(values ...string) completer {
	return func(*cobra.Command) []string { return values }
}

// completePlatforms returns the platforms that images can have.
func completePlatforms(*cobra.Command) []string {
	var names []string
	for _, platform := range spec.Platforms() {
		names = append(names, string(platform))
	}
	return names
}

// completeFlags registers the values that shells complete flags to. A flag whose value is a new
// name completes to nothing, because the shell would otherwise offer the files of the folder.
func completeFlags(root *cobra.Command) {
	nothing := completeFixed()
	flags := map[string]completer{
		"output": completeFixed("text", "json"), "watch": completeFixed(string(spec.WatchCluster), string(spec.WatchNamespace)),
		"name": nothing, "kind": nothing, "group": nothing, "version": nothing, "child": nothing, "parent": nothing,
		"module": nothing, "repo": nothing, "domain": nothing, "min-kubernetes": nothing,
		"tag": nothing, "base": nothing, "platform": completePlatforms, "ci": completeFixed("github", "gitlab"),
		"cluster name": instanceNames, "delete kind": projectKinds, "delete group": projectGroups,
	}
	eachCommand(root, func(cmd *cobra.Command) {
		words := strings.Fields(cmd.CommandPath() + " .")
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			complete, ok := flags[words[1]+" "+flag.Name] // words[1] is the command, or the group that it is in
			if !ok {
				complete, ok = flags[flag.Name]
			}
			if ok {
				_ = cmd.RegisterFlagCompletionFunc(flag.Name, complete.completeFlag)
			}
		})
	})
}

// completeFlag has the signature that cobra wants for the completion of a flag. It leaves out the
// values that do not begin with what the user has typed.
func (c completer) completeFlag(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var fit []string
	for _, value := range c(cmd) {
		if strings.HasPrefix(value, begun) {
			fit = append(fit, value)
		}
	}
	return fit, cobra.ShellCompDirectiveNoFileComp
}

// completeArgument has the signature that cobra wants for the completion of the only argument of a
// command.
func (c completer) completeArgument(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.completeFlag(cmd, args, begun)
}

// instanceNames returns the names of the existing local control planes.
func instanceNames(*cobra.Command) []string {
	state, err := cluster.DefaultStateDir()
	if err != nil {
		return nil
	}
	list, _ := cluster.List(state)
	var names []string
	for _, instance := range list {
		names = append(names, instance.Name)
	}
	return names
}

// projectKinds returns the kinds of the project's APIs.
func projectKinds(*cobra.Command) []string {
	return apiNames(func(api *spec.API) string { return api.Names.Kind })
}

// projectGroups returns the groups of the project's APIs. If the command line has --kind, it
// returns those that have this kind.
func projectGroups(cmd *cobra.Command) []string {
	kind := cmd.Flags().Lookup("kind").Value.String()
	return apiNames(func(api *spec.API) string {
		if kind != "" && api.Names.Kind != kind {
			return ""
		}
		return api.Group
	})
}

// projectControllers returns the names of the project's controllers for kinds that exist already.
func projectControllers(*cobra.Command) []string {
	var names []string
	for _, f := range specFiles("controllers") {
		if controller, _ := spec.ParseController(f.Name, f.Data); controller != nil && controller.Name != "" {
			names = append(names, controller.Name)
		}
	}
	return names
}

// apiNames returns the result of name for each API of the project, each once. A file with errors
// still counts with what could be read of it: people complete commands in the middle of an edit.
func apiNames(name func(*spec.API) string) []string {
	var names []string
	for _, f := range specFiles("api") {
		if spec.IsTypes(f.Data) {
			continue
		}
		if api, _ := spec.ParsePartial(f.Name, f.Data); api != nil && name(api) != "" {
			names = append(names, name(api))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// specFiles returns the spec files of a folder of the project. It returns none if the folder cannot
// be read, because a completion has nowhere to report an error.
func specFiles(folder string) []project.SpecFile {
	dir, err := project.Find()
	if err != nil {
		return nil
	}
	files, _ := project.ReadFolder(os.DirFS(dir), folder)
	return files
}
