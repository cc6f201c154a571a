package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/opgen-dev/opgen/internal/project"
)

// applyDefaults sets every flag that the command line leaves out from the environment or the user's
// config file. For example, --domain of opgen init is the first of: OPGEN_INIT_DOMAIN, the key
// init.domain, OPGEN_DOMAIN, the key domain. It does not set the flags that decide.
func applyDefaults(cmd *cobra.Command) error {
	defaults, err := userDefaults()
	if err != nil {
		return err
	}
	if err := checkConfigKeys(cmd.Root(), defaults); err != nil {
		return err
	}
	var errs []error
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Changed || flag.Name == "help" || decides(cmd, flag.Name) {
			return
		}
		key, ok := defaultKey(defaults, cmd, flag.Name)
		if !ok {
			return
		}
		if err := setFlag(cmd.Flags(), flag, defaults, key); err != nil {
			errs = append(errs, project.InputErrorf("default %s of --%s: %w", key, flag.Name, err))
		}
	})
	return errors.Join(errs...)
}

// userDefaults reads the environment and the config file, which need not exist.
func userDefaults() (*viper.Viper, error) {
	v := viper.New()
	v.SetEnvPrefix("OPGEN")
	v.SetEnvKeyReplacer(strings.NewReplacer(".", "_", "-", "_"))
	v.AutomaticEnv()
	path := configFile()
	if path == "" {
		return v, nil
	}
	v.SetConfigFile(path)
	if err := v.ReadInConfig(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, project.InputErrorf("config file %s: %w", path, err)
	}
	return v, nil
}

// configFile is $OPGEN_CONFIG, or opgen/config.yaml in the user's config directory.
func configFile() string {
	if path := os.Getenv("OPGEN_CONFIG"); path != "" {
		return path
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "opgen", "config.yaml")
}

// defaultKey returns the most specific key that is set for a flag, and whether there is one. A
// section of the config file with the name of a flag, such as crd, is none.
func defaultKey(v *viper.Viper, cmd *cobra.Command, flag string) (string, bool) {
	for _, key := range keysOf(cmd, flag) {
		if _, isSection := v.Get(key).(map[string]any); v.IsSet(key) && !isSection {
			return key, true
		}
	}
	return "", false
}

// keysOf returns the keys of a flag of a command, the most specific first: init.domain, domain.
func keysOf(cmd *cobra.Command, flag string) []string {
	words := strings.Fields(cmd.CommandPath())[1:]
	var keys []string
	for n := len(words); n >= 0; n-- {
		keys = append(keys, strings.Join(append(words[:n:n], flag), "."))
	}
	return keys
}

// decides reports whether a flag of a command decides what is deleted, overwritten or published, or
// in which cluster. Such a flag has no default but its own: nobody who runs the command would see it.
func decides(cmd *cobra.Command, flag string) bool {
	return slices.ContainsFunc(keysOf(cmd, flag), func(key string) bool { return slices.Contains(decidingKeys(), key) })
}

// decidingKeys returns the keys of the flags that decide. OPGEN_VERSION and OPGEN_TAG are also what
// other tools call a version.
func decidingKeys() []string {
	return []string{
		"confirm", "all", "allow-remote", "force", "force-conflicts", "kubeconfig", "context", "delete.kind", "delete.group",
		"push", "image.tag", "package.version", "package.replaces",
	}
}

// explainValue replaces the error of Go's parser, which names strconv.ParseBool, by the values that
// a flag takes.
func explainValue(err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "bool" {
		return errors.New("write true or false")
	}
	return err
}

func setFlag(flags *pflag.FlagSet, flag *pflag.Flag, v *viper.Viper, key string) error {
	value := v.GetString(key)
	if _, isList := flag.Value.(pflag.SliceValue); isList {
		value = strings.Join(v.GetStringSlice(key), ",")
	}
	if err := flags.Set(flag.Name, value); err != nil {
		return fmt.Errorf("%q: %w", value, explainValue(err))
	}
	return nil
}
