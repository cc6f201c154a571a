package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// allFlags returns the flags of all commands, such as "uninstall --confirm", by their commands.
func allFlags(root *cobra.Command) map[string]*cobra.Command {
	flags := map[string]*cobra.Command{}
	eachCommand(root, func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			flags[strings.TrimPrefix(cmd.CommandPath(), "opgen ")+" --"+flag.Name] = cmd
		})
	})
	return flags
}

// A flag that decides what is deleted, overwritten or published, or in which cluster, is never set by the
// environment or the config file. Whoever adds such a flag adds it here and to decidingKeys.
func TestFlagsThatDecideHaveNoDefaults(t *testing.T) {
	expected := strings.Split(strings.TrimSpace(`
cluster down --all
create api --force
create controller --force
delete api --force
delete api --group
delete api --kind
delete controller --force
deploy --allow-remote
deploy --context
deploy --force-conflicts
deploy --kubeconfig
generate --force
image --push
image --tag
init --force
install --context
install --force-conflicts
install --kubeconfig
package helm --force
package helm --version
package manifests --force
package olm --force
package olm --replaces
package olm --version
undeploy --allow-remote
undeploy --context
undeploy --kubeconfig
uninstall --confirm
uninstall --context
uninstall --kubeconfig
upgrade --force
`), "\n")
	var deciding []string
	suspicious := regexp.MustCompile(`confirm|force|push|publish|delete|remove|prune|purge|wipe|overwrite|replace|yes|all\b|release|kubeconfig|context|allow`)
	for name, cmd := range allFlags(newRoot(streams{})) {
		flag := name[strings.LastIndex(name, "--")+2:]
		if decides(cmd, flag) {
			deciding = append(deciding, name)
		} else if suspicious.MatchString(flag) {
			t.Errorf("%s may decide what is deleted, overwritten or published, and takes a default", name)
		}
	}
	slices.Sort(deciding)
	if !slices.Equal(deciding, expected) {
		t.Errorf("the flags without defaults are\n%s\nexpected\n%s", strings.Join(deciding, "\n"), strings.Join(expected, "\n"))
	}
}

// Neither way of setting a default sets a flag that decides.
func TestDecisionsAreNotTakenFromTheEnvironment(t *testing.T) {
	for name := range allFlags(newRoot(streams{})) {
		command, flag, _ := strings.Cut(name, " --")
		cmd, _, err := newRoot(streams{}).Find(strings.Fields(command))
		if err != nil {
			t.Fatal(err)
		}
		if !decides(cmd, flag) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, key := range keysOf(cmd, flag) {
				t.Setenv("OPGEN_"+strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(key)), "true")
			}
			t.Setenv("OPGEN_CONFIG", filepath.Join(t.TempDir(), "none.yaml"))
			if err := applyDefaults(cmd); err != nil {
				t.Fatal(err)
			}
			if cmd.Flags().Changed(flag) {
				t.Error("the environment sets it")
			}
			for _, key := range keysOf(cmd, flag) {
				file := filepath.Join(t.TempDir(), "config.yaml")
				if err := os.WriteFile(file, []byte(key+": true\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				t.Setenv("OPGEN_CONFIG", file)
				err := applyDefaults(cmd)
				if key == flag && isKnownElsewhere(flag) {
					continue // the file names a flag of another command
				}
				if err == nil || !strings.Contains(err.Error(), key+": a flag that decides has no default\n    pass --"+flag+" on the command line") {
					t.Errorf("key %s: error %v", key, err)
				}
			}
			if cmd.Flags().Changed(flag) {
				t.Error("the config file sets it")
			}
		})
	}
}

// isKnownElsewhere reports whether a flag of that name decides in some commands only.
func isKnownElsewhere(flag string) bool {
	return slices.Contains(flagKeys(newRoot(streams{}))[""], flag)
}

// A section of the config file is no default of the flag that has its name.
func TestSectionsAreNoDefaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("crd: {min-kubernetes: \"1.33\"}\nimage: {platform: [linux/arm64]}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OPGEN_CONFIG", file)
	for _, command := range []string{"diff", "deploy"} {
		cmd, _, err := newRoot(streams{err: new(bytes.Buffer)}).Find([]string{command})
		if err != nil {
			t.Fatal(err)
		}
		if err := applyDefaults(cmd); err != nil {
			t.Fatal(err)
		}
		cmd.Flags().Visit(func(flag *pflag.Flag) { t.Errorf("opgen %s --%s=%q is set", command, flag.Name, flag.Value) })
	}
}
