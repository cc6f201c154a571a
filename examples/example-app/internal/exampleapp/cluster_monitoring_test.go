package exampleapp

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// TestClusterMonitoring reads the metrics as Prometheus does. Each is what the status says.
func TestClusterMonitoring(t *testing.T) {
	address := freeAddress(t)
	i := startWith(t, func(o *operator.Options) { o.MetricsAddress, o.MetricsSecure = address, false }, hourly)
	i.backsUp()
	for metric, value := range map[string]int64{
		"exampleapp_last_backup_timestamp_seconds": i.app.Status.Backup.LastBackupTime.Unix(),
		"exampleapp_ready_replicas":                1,
		"exampleapp_remediations":                  0,
	} {
		name := fmt.Sprintf(`%s{name="shop",namespace="%s"} `, metric, i.Namespace)
		i.Eventually("the metrics have "+name, func() error {
			response, err := http.Get("http://" + address + "/metrics")
			if err != nil {
				return err
			}
			defer response.Body.Close()
			text, err := io.ReadAll(response.Body)
			if err != nil {
				return err
			}
			_, line, _ := strings.Cut(string(text), name)
			line, _, _ = strings.Cut(line, "\n")
			var got float64
			if _, err := fmt.Sscan(line, &got); err != nil || int64(got) != value {
				return fmt.Errorf("it is %q, want %d", line, value)
			}
			return nil
		})
	}
	i.ends()
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
