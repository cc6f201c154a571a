package process

import (
	"crypto/tls"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// newMetricsProcess returns a process that serves metrics with the certificate in its folder.
func newMetricsProcess(t *testing.T) *webhookProcess {
	p := newWebhookProcess(t, func(manager.Manager) {})
	p.settings.MetricsAddress = fmt.Sprintf("127.0.0.1:%d", freePort(t))
	p.settings.MetricsCertPath = p.settings.WebhookCertPath
	return p
}

func TestMetricsAreServedWithACertificateThatClientsTrust(t *testing.T) {
	p := newMetricsProcess(t)
	trusted := p.certificate(time.Now().Add(-time.Hour), time.Now().Add(time.Hour), "web-metrics")
	p.start()
	dial := func(name string) error {
		connection, err := tls.Dial("tcp", p.settings.MetricsAddress, &tls.Config{RootCAs: trusted, ServerName: name})
		if err == nil {
			err = connection.Close()
		}
		return err
	}
	p.eventually("a client trusts the metrics server", func() error { return dial("web-metrics") })
	if err := dial("localhost"); err == nil {
		t.Error("a client trusts it by another name, too")
	}
}

func TestAMissingCertificateOfMetricsEndsTheProcess(t *testing.T) {
	p := newMetricsProcess(t)
	p.start()
	err := <-p.ended
	if want := filepath.Join(p.settings.MetricsCertPath, defaultCertName); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--metrics-cert-path") {
		t.Errorf("got %v, expected it to name %s and the flag", err, want)
	}
}

// Who is alerted of a missing leader knows the lease by its name.
func TestTheMetricOfTheLeaderNamesTheLease(t *testing.T) {
	p := newWebhookProcess(t, func(manager.Manager) {})
	p.settings.LeaderElect, p.settings.LeaderElectID, p.settings.LeaderElectNamespace = true, "web-of-this-test", "default"
	p.start()
	p.eventually("the metric is there", func() error {
		families, err := metrics.Registry.Gather()
		for _, family := range families {
			for _, metric := range family.GetMetric() {
				for _, label := range metric.GetLabel() {
					if family.GetName() == "leader_election_master_status" && label.GetValue() == "web-of-this-test" {
						return nil
					}
				}
			}
		}
		return errors.Join(err, errors.New("no leader_election_master_status has the name"))
	})
}
