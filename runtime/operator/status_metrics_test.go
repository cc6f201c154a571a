package operator_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// siteMetrics are gauges from the status of Sites.
var siteMetrics = []operator.Metric{
	{Name: "site_phase", Path: ".status.phase", Help: "The phase, as a number."},
	{Name: "site_observed_generation", Path: ".status.observedGeneration", Help: "The generation."},
}

// startMeasured runs an operator whose Sync writes the text of a Site as its phase, and serves metrics at the
// address.
func startMeasured(t *testing.T, change func(*definition)) (c *custom, address string) {
	t.Helper()
	address = freeAddress(t)
	c = addCustom(t, func(_ context.Context, req *customRequest) (*Response, error) {
		return &Response{Status: &testapi.Status{Phase: req.Parent.Spec.Text}}, nil
	}, func(d *definition) {
		d.Metrics = siteMetrics
		if change != nil {
			change(d)
		}
	}, func(o *operator.Options) { o.MetricsAddress, o.MetricsSecure = address, false })
	return c, address
}

// measures waits until the page of metrics has these lines, and none of the others.
func (c *custom) measures(address string, lines, others []string) {
	c.t.Helper()
	c.Eventually(fmt.Sprintf("metrics show %q", lines), func() error {
		status, page, err := scrape("http://"+address+"/metrics", "")
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("%d %.200s: %w", status, page, err)
		}
		for _, line := range lines {
			if !strings.Contains(page, "\n"+line+"\n") {
				return errors.New(line + " is not there")
			}
		}
		for _, line := range others {
			if strings.Contains(page, line) {
				return errors.New(line + " is there")
			}
		}
		return nil
	})
}

// Each operator shows its own parents alone, also if a second one with the same metrics runs in the process.
func TestMetricsFromTheStatusFollowTheParents(t *testing.T) {
	t.Parallel()
	first, address := startMeasured(t, nil)
	second, other := startMeasured(t, nil)
	gauge := func(c *custom, metric, name, value string) string {
		return fmt.Sprintf("%s{name=%q,namespace=%q} %s", metric, name, c.Namespace, value)
	}
	web, db := first.siteOf("web", "3"), first.siteOf("db", "closed")
	second.siteOf("web", "5")
	first.measures(address, []string{gauge(first, "site_phase", "web", "3"), gauge(first, "site_observed_generation", "db", "1"), "# HELP site_phase The phase, as a number.", "# TYPE site_phase gauge"},
		[]string{second.Namespace, `site_phase{name="db"`})
	second.measures(other, []string{gauge(second, "site_phase", "web", "5")}, []string{first.Namespace})
	first.touch(web, "4500m")
	first.measures(address, []string{gauge(first, "site_phase", "web", "4.5"), gauge(first, "site_observed_generation", "web", "2")}, nil)

	first.Delete(db)
	first.Gone(db)
	first.measures(address, []string{gauge(first, "site_phase", "web", "4.5")}, []string{`name="db"`})
	first.Update(web, func() { web.Labels = nil }) // which is no parent any more
	first.measures(address, nil, []string{`name="web"`})
}

func TestTheStandardMetricsCountFailures(t *testing.T) {
	t.Parallel()
	c, address := startMeasured(t, func(d *definition) { d.Name = "counted"; d.Kinds = nil })
	site := c.siteOf("web", "3")
	c.says(site, allReady)
	counter := func(name string) func(page string) string {
		line := regexp.MustCompile(`(?m)^` + name + `\{[^}]*controller="counted"[^}]*\} (\S+)$`)
		return func(page string) string {
			if found := line.FindStringSubmatch(page); found != nil {
				return found[1]
			}
			return ""
		}
	}
	failures := map[string]struct {
		metrics []string
		sync    customFunction
	}{
		"an error": {[]string{"controller_runtime_reconcile_errors_total", "workqueue_retries_total"}, func(context.Context, *customRequest) (*Response, error) {
			return nil, errors.New("no database")
		}},
		"a terminal error": {[]string{"controller_runtime_terminal_reconcile_errors_total"}, func(context.Context, *customRequest) (*Response, error) {
			return nil, reconcile.TerminalError(errors.New("no database"))
		}},
		"a panic": {[]string{"controller_runtime_reconcile_panics_total"}, func(context.Context, *customRequest) (*Response, error) {
			panic("no database")
		}},
	}
	for name, failure := range failures {
		for _, metric := range failure.metrics {
			value := counter(metric)
			_, before, err := scrape("http://"+address+"/metrics", "")
			if err != nil {
				t.Fatal(err)
			}
			c.setSync(failure.sync)
			c.touch(site, name+metric)
			c.Eventually(name+" counts in "+metric, func() error {
				_, page, err := scrape("http://"+address+"/metrics", "")
				if err == nil && (value(page) == "" || value(page) == value(before)) {
					err = fmt.Errorf("it is %q, and was %q", value(page), value(before))
				}
				return err
			})
		}
	}
	c.setSync(customDesire(func(*customRequest, *Desired) {}))
	c.touch(site, "well")
	c.says(site, allReady)
	c.Settled()
}

// A controller may have workers of its own.
func TestAControllerHasAsManyWorkersAsItsDefinitionSays(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan string, 100), make(chan struct{})
	c, address := startMeasured(t, func(d *definition) {
		d.Name, d.Workers, d.Metrics = "pair", 2, nil
		d.Sync = func(ctx context.Context, req *customRequest) (*Response, error) {
			entered <- req.Parent.Name
			select {
			case <-leave:
			case <-ctx.Done():
			}
			return &Response{}, nil
		}
	})
	for i := range 4 {
		c.site(fmt.Sprint("site-", i))
	}
	<-entered
	<-entered
	c.measures(address, []string{`controller_runtime_active_workers{controller="pair"} 2`, `controller_runtime_max_concurrent_reconciles{controller="pair"} 2`}, nil)
	if len(entered) > 0 {
		t.Error("more than two calls of Sync run at once")
	}
	close(leave)
	<-entered
	<-entered
}
