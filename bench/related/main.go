// Command related measures what it costs an operator to read Secrets that are not its children: the memory of one
// Secret of a fixed name among many, and the requests, watches and memory of many parents that each name their own. It
// works in a namespace of its own in the cluster of KUBECONFIG, and prints Markdown.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/bench/progress"
)

// operatorFlag has the program run the operator that it measures, with an entry of this sort.
const operatorFlag = "operator"

// bench is one run.
type bench struct {
	cluster  *cluster
	progress progress.Progress
	parents  int
	few      int // Secrets beside the one that is read by a fixed name
	many     int // Secrets of which parents name some
	size     int // of a Secret, in bytes
	pause    time.Duration
	idle     time.Duration
}

func main() {
	log.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "related:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	b := bench{progress: progress.New(os.Stderr)}
	entry := flag.String(operatorFlag, "", "run the operator with this `entry` of related Secrets, for the program itself")
	namespace := flag.String("namespace", "", "the `namespace` of the operator, for the program itself")
	flag.IntVar(&b.parents, "parents", 1000, "how many parents each name a Secret of their own")
	flag.IntVar(&b.few, "few", 2000, "how many Secrets are beside the one of a fixed name")
	flag.IntVar(&b.many, "many", 5000, "how many Secrets there are of which parents name some")
	flag.IntVar(&b.size, "size", 20_000, "how large a Secret is, in `bytes`")
	flag.DurationVar(&b.pause, "pause", 15*time.Second, "how long an operator has run before its memory is read")
	flag.DurationVar(&b.idle, "idle", 30*time.Second, "how long the idle time is")
	flag.Parse()
	if *entry != "" {
		return operate(ctx, *entry, *namespace)
	}
	var err error
	if b.cluster, err = newCluster(ctx); err != nil {
		return err
	}
	defer b.cluster.remove()
	return b.measure(ctx)
}

// measure measures each entry with the Secrets that its row has.
func (b *bench) measure(ctx context.Context) error {
	b.progress.Begin(fmt.Sprintf("creating %d Secrets", b.few))
	if err := b.cluster.createSecrets(ctx, 0, b.few, b.size); err != nil {
		return err
	}
	if err := b.cluster.createParents(ctx, 0, 1); err != nil {
		return err
	}
	rows := []row{{entry: "none", secrets: b.few, parents: 1}, {entry: "name", secrets: b.few, parents: 1}, {entry: "all", secrets: b.few, parents: 1}}
	for i := range rows {
		if err := b.observe(ctx, &rows[i]); err != nil {
			return err
		}
	}
	b.progress.Begin(fmt.Sprintf("creating %d Secrets and %d parents", b.many-b.few, b.parents))
	if err := b.cluster.createSecrets(ctx, b.few, b.many, b.size); err != nil {
		return err
	}
	if err := b.cluster.createParents(ctx, 1, b.parents); err != nil {
		return err
	}
	for _, entry := range []string{"none", "nameFrom", "get", "all"} {
		r := row{entry: entry, secrets: b.many, parents: b.parents}
		if err := b.observe(ctx, &r); err != nil {
			return err
		}
		rows = append(rows, r)
	}
	b.progress.End()
	printRows(os.Stdout, rows)
	return nil
}

// observe runs the operator with an entry, and fills in what it cost.
func (b *bench) observe(ctx context.Context, r *row) error {
	b.progress.Begin(fmt.Sprintf("%d Secrets, %d parents, entry %s", r.secrets, r.parents, r.entry))
	p, err := start(ctx, r.entry, b.cluster.namespace)
	if err != nil {
		return err
	}
	defer p.kill()
	if err := p.awaitSync(ctx, r.parents); err != nil {
		return err
	}
	time.Sleep(b.pause)
	begun, err := p.counts()
	if err != nil {
		return err
	}
	if r.memory, r.peak, err = p.memory(); err != nil {
		return err
	}
	time.Sleep(b.idle)
	ended, err := p.counts()
	if err != nil {
		return err
	}
	r.requests, r.reads, r.watches = begun.Requests, begun.Reads, ended.Watches
	r.idle = ended.Requests - begun.Requests
	return nil
}
