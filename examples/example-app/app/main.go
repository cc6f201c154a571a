// Command app is the application that the operator runs: a key-value server whose data is in a folder.
//
//	app serve --data /data                       # answers at :8080
//	app migrate --data /data                     # converts the data into the format of this version
//	app backup --data /data --to /backups/NAME   # or to a URL, by PUT; --keep 7 removes older files beside it
//	app restore --data /data --from /backups/NAME
//
// The settings of a server are in its environment: TOKEN, which clients send as X-Auth-Token, and MAX_VALUE_BYTES. Several
// servers may have one folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// version is set by the linker. Its first number says the format of the data.
var version = "1.0.0"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("usage: app serve|migrate|backup|restore [flags]")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	data := flags.String("data", "/data", "the folder of the data")
	listen := flags.String("listen", ":8080", "the address of the server")
	to := flags.String("to", "", "the file or URL of the backup to write")
	keep := flags.Int("keep", 0, "how many backups to keep of those in the folder whose names differ after the last dash; 0: all")
	from := flags.String("from", "", "the file or URL of the backup to read")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "serve":
		return serve(ctx, *data, *listen, settingsFrom(os.Getenv))
	case "migrate":
		return migrate(*data, dataFormat())
	case "backup":
		return backup(ctx, *data, *to, *keep)
	case "restore":
		return restore(ctx, *data, *from)
	default:
		return fmt.Errorf("there is no command %q", args[0])
	}
}

// dataFormat returns the format of the data of this version: 1 up to version 1, and 2 from version 2 on.
func dataFormat() int {
	if strings.HasPrefix(version, "0.") || strings.HasPrefix(version, "1.") {
		return 1
	}
	return 2
}
