package alerts

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/promqltest"
)

// Series of an hour, in the notation of promtool: a start, an increase per minute, and how often.
const (
	leads   = `leader_election_master_status{name="echo-operator",namespace="a",pod="1"} 1x60` + "\n"
	waits   = `leader_election_master_status{name="echo-operator",namespace="a",pod="2"} 0x60` + "\n"
	succeed = `opgen_reconcile_total{controller="echoserver",namespace="a",result="success"} 0+100x60` + "\n"
)

func TestAlertsFire(t *testing.T) {
	tests := []struct {
		name, alert, series string
		fires               bool
	}{
		{"a replica leads", "OperatorNoLeader", leads + waits, false},
		{"every replica waits", "OperatorNoLeader", waits, true},
		{"no replica runs", "OperatorNoLeader", "", true},
		{"another operator waits", "OperatorNoLeader", leads + strings.ReplaceAll(waits, "echo-operator", "other"), false},
		{"one of two installations has no leader", "OperatorNoLeader", leads + strings.ReplaceAll(waits, `"a"`, `"b"`), true},

		{"it cannot take the lease for two minutes", "OperatorLeaseUnavailable", `opgen_lease_unavailable{name="echo-operator",namespace="a",pod="1"} 1x2 0x58`, false},
		{"it can never take the lease", "OperatorLeaseUnavailable", `opgen_lease_unavailable{name="echo-operator",namespace="a",pod="1"} 1x60`, true},
		{"one of two replicas cannot take the lease", "OperatorLeaseUnavailable", `opgen_lease_unavailable{name="echo-operator",namespace="a",pod="1"} 0x60
			opgen_lease_unavailable{name="echo-operator",namespace="a",pod="2"} 1x60`, true},
		{"another operator cannot take its lease", "OperatorLeaseUnavailable", `opgen_lease_unavailable{name="other",namespace="a",pod="1"} 1x60`, false},

		{"requests succeed", "OperatorRequestsForbidden", answers("echo-operator", "200", "0+5x60"), false},
		{"requests are forbidden", "OperatorRequestsForbidden", answers("echo-operator", "403", "0+5x60"), true},
		{"requests were forbidden before", "OperatorRequestsForbidden", answers("echo-operator", "403", "0+5x30 150x30"), false},
		{"requests of another operator are forbidden", "OperatorRequestsForbidden", answers("other", "403", "0+5x60"), false},

		{"one in a hundred fails", "OperatorReconcileErrors", succeed + `opgen_reconcile_total{controller="echoserver",namespace="a",result="SyncFailed"} 0+1x60`, false},
		{"half of them fail", "OperatorReconcileErrors", succeed + `opgen_reconcile_total{controller="echoserver",namespace="a",result="SyncFailed"} 0+100x60`, true},
		{"half of them fail for several reasons", "OperatorReconcileErrors", succeed + `opgen_reconcile_total{controller="echoserver",namespace="a",result="SyncFailed"} 0+8x60
			opgen_reconcile_total{controller="echoserver",namespace="a",result="Forbidden"} 0+8x60`, true},
		{"they are stale", "OperatorReconcileErrors", succeed + `opgen_reconcile_total{controller="echoserver",namespace="a",result="stale"} 0+100x60`, false},
		{"another operator fails", "OperatorReconcileErrors", succeed + `opgen_reconcile_total{controller="other",namespace="a",result="SyncFailed"} 0+100x60`, false},

		{"no panic", "OperatorPanics", `controller_runtime_reconcile_panics_total{controller="echoserver",namespace="a"} 3x60`, false},
		{"panics", "OperatorPanics", `controller_runtime_reconcile_panics_total{controller="echoserver",namespace="a"} 0+1x60`, true},

		{"changes converge within seconds", "OperatorSlowConvergence", buckets("0+10x60", "0+10x60"), false},
		{"half of the changes take an hour", "OperatorSlowConvergence", buckets("0+5x60", "0+10x60"), true},
		{"nothing changes", "OperatorSlowConvergence", buckets("7x60", "7x60"), false},

		{"drift is repaired twice", "OperatorConflicts", `opgen_drift_found_total{controller="echoserver",namespace="a",kind="Pod"} 0x40 2x20`, false},
		{"drift is found every five minutes", "OperatorConflicts", `opgen_drift_found_total{controller="echoserver",namespace="a",kind="Pod"} 0+0.2x60`, true},

		{"no prunes are held", "OperatorPrunesHeld", `opgen_held_prunes{controller="echoserver",namespace="a"} 0x60`, false},
		{"prunes are held", "OperatorPrunesHeld", `opgen_held_prunes{controller="echoserver",namespace="a"} 21x60`, true},

		{"a kind is served again", "OperatorAwaitsKind", `opgen_awaited_kinds{controller="echoserver",namespace="a",kind="Pod"} 1x30 _x30`, false},
		{"a kind is awaited", "OperatorAwaitsKind", `opgen_awaited_kinds{controller="echoserver",namespace="a",kind="Pod"} 1x60`, true},

		{"an object was mended", "OperatorUnreadableObjects", `opgen_unreadable_objects{controller="echoserver",namespace="a",kind="Pod"} 1x30 _x30`, false},
		{"an object does not decode", "OperatorUnreadableObjects", `opgen_unreadable_objects{controller="echoserver",namespace="a",kind="Pod"} 1x60`, true},

		{"caches are read", "OperatorStaleCache", `opgen_stale_cache_parents{controller="echoserver",namespace="a",kind="Pod"} 0x60`, false},
		{"a cache stands still", "OperatorStaleCache", `opgen_stale_cache_parents{controller="echoserver",namespace="a",kind="Pod"} 2x60`, true},
	}
	expressions, fired, silent := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, rule := range rules(t) {
		expressions[rule.Alert] = rule.Expr.String()
	}
	for _, test := range tests {
		fired[test.alert], silent[test.alert] = fired[test.alert] || test.fires, silent[test.alert] || !test.fires
		t.Run(test.alert+"/"+test.name, func(t *testing.T) {
			if found := evaluate(t, test.series, expressions[test.alert]); (len(found) > 0) != test.fires {
				t.Errorf("fires: %v, expected %v: %v", len(found) > 0, test.fires, found)
			}
		})
	}
	for alert := range expressions {
		if !fired[alert] || !silent[alert] {
			t.Errorf("no test of when %s fires and when not", alert)
		}
	}
}

// answers returns how often the API server answered an operator's requests with a code.
func answers(operator, code, count string) string {
	return `rest_client_requests_total{code="` + code + `",method="PATCH",instance="10.0.0.1:8443",namespace="a"} ` + count + "\n" +
		`leader_election_master_status{name="` + operator + `",instance="10.0.0.1:8443",namespace="a"} 1x60`
}

// buckets returns a histogram of times until convergence: those of at most 10 s, and all.
func buckets(quick, all string) string {
	const metric = `opgen_convergence_seconds_bucket{controller="echoserver",namespace="a",le=`
	return metric + `"10"} ` + quick + "\n" + metric + `"600"} ` + quick + "\n" + metric + `"3600"} ` + all + "\n" + metric + `"+Inf"} ` + all
}

// evaluate returns what an expression finds after an hour.
func evaluate(t *testing.T, series, expression string) promql.Vector {
	t.Helper()
	storage := promqltest.LoadedStorage(t, "load 1m\n"+series)
	engine := promqltest.NewTestEngine(t, false, 0, promqltest.DefaultMaxSamplesPerQuery)
	query, err := engine.NewInstantQuery(t.Context(), storage, nil, expression, time.Unix(0, 0).Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	defer query.Close()
	found, err := query.Exec(t.Context()).Vector()
	if err != nil {
		t.Fatal(err)
	}
	return found
}
