package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/opgen-dev/opgen/internal/project"
)

// applyDefaults sets every flag that the command line leaves out from the environment or the user's
// config file. For example, --domain of opgen init is the first of: OPGEN_INIT_DOMAIN, the key
// init.domain, OPGEN_DOMAIN, the key domain.
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
		if flag.Changed || flag.Name == "help" || !hasDefault(flag) {
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

// noDefault marks a flag that each run gives by itself: neither the environment nor the config file has a default of it.
const noDefault = "opgen.no-default"

func withoutDefault(cmd *cobra.Command, flag string) {
	_ = cmd.Flags().SetAnnotation(flag, noDefault, []string{"true"}) // the flag exists
}

func hasDefault(flag *pflag.Flag) bool { return flag.Annotations[noDefault] == nil }

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

// defaultKey returns the most specific key that is set for a flag, and whether there is one.
func defaultKey(v *viper.Viper, cmd *cobra.Command, flag string) (string, bool) {
	words := strings.Fields(cmd.CommandPath())[1:]
	for n := len(words); n >= 0; n-- {
		key := strings.Join(append(words[:n:n], flag), ".")
		if v.IsSet(key) {
			return key, true
		}
	}
	return "", false
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
