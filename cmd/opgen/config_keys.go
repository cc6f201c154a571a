package main

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/nearest"
	"github.com/opgen-dev/opgen/internal/spec"
)

// checkConfigKeys returns an error if the user's config file has a key that is the default of no
// flag. A misspelt key would otherwise be ignored silently.
func checkConfigKeys(root *cobra.Command, config *viper.Viper) error {
	keys := config.AllKeys()
	if len(keys) == 0 {
		return nil
	}
	known := flagKeys(root)
	var problems spec.Problems
	for _, key := range keys {
		section, _ := findCommand(root, key)
		if slices.Contains(known[parentKey(key)], lastKey(key)) || section && config.Get(key) == nil {
			continue
		}
		problems = append(problems, spec.Problem{
			Pos: keyPos(config.ConfigFileUsed(), key), Path: key, Message: "unknown key", Hint: keyHint(root, known, key),
		})
	}
	return problems.Err()
}

// flagKeys returns the flags that each section of the config file can give defaults to. For example,
// --domain of opgen init is in the section "init", and in "", which is the top of the file.
func flagKeys(root *cobra.Command) map[string][]string {
	keys := map[string][]string{}
	eachCommand(root, func(cmd *cobra.Command) {
		words := strings.Fields(cmd.CommandPath())[1:]
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if !hasDefault(flag) {
				return
			}
			for n := range len(words) + 1 {
				section := strings.Join(words[:n], ".")
				keys[section] = append(keys[section], flag.Name)
			}
		})
	})
	return keys
}

// eachCommand calls visit with a command and all of its subcommands.
func eachCommand(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		eachCommand(sub, visit)
	}
}

// findCommand returns the command or the group of commands that a key names, and whether there is
// one.
func findCommand(root *cobra.Command, key string) (bool, *cobra.Command) {
	words := strings.Split(key, ".")
	found, rest, err := root.Find(words)
	return err == nil && len(rest) == 0 && found != root, found
}

// keyHint suggests the key that a misspelt one most likely means.
func keyHint(root *cobra.Command, known map[string][]string, key string) string {
	section := parentKey(key)
	if near := nearest.Name(lastKey(key), append(slices.Collect(maps.Keys(known)), known[section]...)); near != "" {
		return `did you mean "` + near + `"?`
	}
	if ok, cmd := findCommand(root, section); ok {
		return "the keys below " + section + " are its flags: see " + cmd.CommandPath() + " --help"
	}
	return "keys are flags, such as domain, or flags below their command, such as init.domain"
}

func parentKey(key string) string { return key[:max(0, strings.LastIndex(key, "."))] }

func lastKey(key string) string { return key[strings.LastIndex(key, ".")+1:] }

// keyPos returns the position of a key in a config file. It returns the file without a line if the
// file is not YAML: viper reads JSON and TOML, too.
func keyPos(file, key string) spec.Pos {
	pos := spec.Pos{File: file}
	data, err := os.ReadFile(file)
	var document yaml.Node
	if err != nil || yaml.Unmarshal(data, &document) != nil || len(document.Content) == 0 {
		return pos
	}
	if n := cmp.Or(keyNode(document.Content[0], "", key), keyNode(document.Content[0], "", parentKey(key))); n != nil {
		pos.Line, pos.Column = n.Line, n.Column
	}
	return pos
}

// keyNode returns the node of a key. It ignores case, as viper does.
func keyNode(n *yaml.Node, path, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := strings.TrimPrefix(path+"."+strings.ToLower(n.Content[i].Value), ".")
		if at == key {
			return n.Content[i]
		}
		if found := keyNode(n.Content[i+1], at, key); found != nil && strings.HasPrefix(key, at+".") {
			return found
		}
	}
	return nil
}
