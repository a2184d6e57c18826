// Command temporal is the Temporal server TreeOS starts for itself when a machine has none: every service of one
// cluster and the web UI in a single process, with its state in one SQLite file. Nobody calls it without a credential, see
// doors.go and ui.go.
//
// With --postgres-file it keeps its state in Postgres, and with --serve it is one of several processes, see cluster.go.
//
// It prints one line of JSON when it accepts calls, {"address","namespace","ui"}, and then runs until SIGINT or SIGTERM.
// It does not depend on its parent, so whoever starts it may exit. It leaves with status 1 and a sentence on stderr.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
	"go.uber.org/zap"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	clusterName   = "active"
	storeName     = "state"
	loopbackIP    = "127.0.0.1"
	stopSecondMax = 5 // a stop that takes longer than this is cut short: SQLite in WAL mode loses nothing by it
)

// services are in the order of their ports.
var services = []primitives.ServiceName{
	primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService,
	primitives.InternalFrontendService,
}

type options struct {
	ip, db, namespace, logLevel       string
	port, uiPort, shards              int
	gcPercent, memoryMiB              int
	headless, open                    bool
	keyFile, tlsDir                   string
	retention                         time.Duration
	searchAttributes, dynamicSettings list
	uiHosts                           list
	cluster                           clusterOptions
}

// list is a flag that may be given more than once.
type list []string

func (l *list) String() string         { return strings.Join(*l, ",") }
func (l *list) Set(value string) error { *l = append(*l, value); return nil }

func main() {
	var o options
	flag.StringVar(&o.ip, "ip", "127.0.0.1", "address to listen on")
	flag.IntVar(&o.port, "port", 7233, "port of the gRPC frontend; 0 picks a free one")
	flag.IntVar(&o.uiPort, "ui-port", 0, "port of the web UI; 0 picks a free one")
	flag.BoolVar(&o.headless, "headless", false, "start no web UI")
	flag.StringVar(&o.keyFile, "key-file", "", "file with the key that callers must show, readable by its owner only")
	flag.StringVar(&o.tlsDir, "tls-dir", "", "folder of an authority, made when it is not there; callers then need its certificate")
	flag.Var(&o.uiHosts, "ui-host", "name under which browsers may ask for the web UI besides localhost (repeatable)")
	flag.BoolVar(&o.open, "open", false, "ask nobody for anything, to measure and test against: everyone on this machine gets in")
	flag.StringVar(&o.db, "db", "", "SQLite file to keep the state in; memory only when empty")
	flag.IntVar(&o.shards, "shards", 4, "history shards; a database keeps the number it was made with")
	flag.IntVar(&o.gcPercent, "gc-percent", 400, "garbage is collected when the heap has grown by so much since the last time")
	flag.IntVar(&o.memoryMiB, "memory-mib", 1024, "near so much memory garbage is collected as often as needed")
	flag.Var(&o.searchAttributes, "search-attribute", "keyword search attribute of a new namespace (repeatable)")
	flag.StringVar(&o.namespace, "namespace", "default", "namespace to create when missing")
	flag.DurationVar(&o.retention, "retention", 90*24*time.Hour, "how long a new namespace keeps closed workflows")
	flag.Var(&o.dynamicSettings, "dynamic-config", "server setting as key=json (repeatable)")
	flag.StringVar(&o.cluster.postgresFile, "postgres-file", "", "file with the URL of a Postgres database on loopback to keep the state in, readable by its owner only")
	flag.Var(&o.cluster.serve, "serve", "a service of this process and where it listens, as SERVICE=IP:PORT (repeatable); all services when not given")
	flag.Var(&o.cluster.members, "member", "a service of any process of this cluster, as SERVICE=IP:PORT (repeatable)")
	flag.StringVar(&o.cluster.internodeDir, "internode-dir", "", "folder of the certificates by which processes of one cluster know each other")
	flag.BoolVar(&o.cluster.prepare, "prepare", false, "make the tables, the namespace and the internode folder of a cluster, and end")
	flag.IntVar(&o.cluster.metricsPort, "metrics-port", 0, "port on loopback of the server's own metrics; none when 0")
	flag.StringVar(&o.logLevel, "log-level", "error", "debug, info, warn or error")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "temporal:", err)
		os.Exit(1)
	}
}

// run serves until a signal asks it to end.
func run(o options) error {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	debug.SetGCPercent(o.gcPercent)
	debug.SetMemoryLimit(int64(o.memoryMiB) << 20)
	if err := checkCluster(o); err != nil {
		return err
	}
	stores, err := openStores(o)
	if err != nil || o.cluster.prepare {
		return err
	}
	settings, err := parseSettings(o.dynamicSettings)
	if err != nil {
		return err
	}
	doors, err := newDoors(o)
	if err != nil {
		return err
	}
	ports, err := pickPorts(o.ip, o.port, 0, 0, 0, 0, o.uiPort)
	if err != nil {
		return err
	}
	place, err := newPlacement(o, ports)
	if err != nil {
		return err
	}
	server, err := newServer(o, doors, stores, settings, place)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	address := place.hosts[primitives.FrontendService].All[0]
	ready := map[string]string{"address": address, "namespace": o.namespace}
	if !o.headless {
		ui, err := serveUI(o, doors, address, ports[5])
		if err != nil {
			return fmt.Errorf("the web UI: %w", err)
		}
		defer ui.Close()
		ready["ui"] = "http://" + join(uiIP, ports[5])
	}
	if err := json.NewEncoder(os.Stdout).Encode(ready); err != nil {
		return err
	}
	<-stop
	stopped := make(chan error, 1)
	go func() { stopped <- server.Stop() }()
	select {
	case err := <-stopped:
		return err
	case <-stop: // asked twice
	case <-time.After(stopSecondMax * time.Second):
	}
	return nil
}

// openStores gives the databases by their names in the configuration. With SQLite both are one file.
func openStores(o options) (map[string]config.DataStore, error) {
	attributes := map[string]enums.IndexedValueType{}
	for _, name := range o.searchAttributes {
		attributes[name] = enums.INDEXED_VALUE_TYPE_KEYWORD
	}
	namespace, err := sqlite.NewNamespaceConfig(clusterName, o.namespace, false, attributes)
	if err != nil {
		return nil, err
	}
	namespace.Detail.Config.Retention = durationpb.New(o.retention)
	if o.cluster.prepare {
		return nil, prepareCluster(o, namespace)
	}
	if o.cluster.postgresFile != "" {
		state, visibility, err := postgresStores(o)
		return map[string]config.DataStore{storeName: {SQL: state}, visibilityStoreName: {SQL: visibility}}, err
	}
	store, err := openStore(o, namespace)
	if err != nil {
		return nil, fmt.Errorf("database %q: %w", o.db, err)
	}
	return map[string]config.DataStore{storeName: {SQL: store}, visibilityStoreName: {SQL: store}}, nil
}

// openStore makes the schema and the namespace where they are missing. A database is made under another name and moved
// into place whole, so that one killed half-way is not taken for a finished one. An open file is locked: two servers
// on one database would corrupt it, so the second waits for busy_timeout and fails.
func openStore(o options, namespace *sqlite.NamespaceConfig) (*config.SQL, error) {
	store := &config.SQL{PluginName: sqliteplugin.PluginName, DatabaseName: o.db, ConnectAttributes: map[string]string{
		"mode": "rwc", "journal_mode": "wal", "synchronous": "normal", "locking_mode": "exclusive", "busy_timeout": "5000",
	}}
	if o.db == "" {
		store.DatabaseName = fmt.Sprintf("treeos-%d", os.Getpid())
		store.ConnectAttributes = map[string]string{"mode": "memory", "cache": "shared"}
	} else if _, err := os.Stat(o.db); errors.Is(err, fs.ErrNotExist) {
		draft := o.db + ".new"
		if err := os.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := sqlite.SetupSchema(&config.SQL{PluginName: sqliteplugin.PluginName, DatabaseName: draft,
			ConnectAttributes: map[string]string{"mode": "rwc", "synchronous": "off"}}); err != nil {
			return nil, err
		}
		if err := os.Rename(draft, o.db); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	return store, sqlite.CreateNamespaces(store, namespace)
}

func newServer(
	o options, doors *doors, stores map[string]config.DataStore, settings dynamicconfig.StaticClient, place *placement,
) (temporal.Server, error) {
	c := &config.Config{Services: map[string]config.Service{}}
	c.Global.Membership.MaxJoinDuration = 30 * time.Second
	c.Global.Membership.BroadcastAddress = ipOf(o.ip, 1)
	c.Persistence.DefaultStore, c.Persistence.VisibilityStore = storeName, visibilityStoreName
	c.Persistence.DataStores = stores
	c.Persistence.NumHistoryShards = int32(o.shards)
	c.ClusterMetadata = &cluster.Config{
		FailoverVersionIncrement: 10, MasterClusterName: clusterName, CurrentClusterName: clusterName,
		ClusterInformation: map[string]cluster.ClusterInformation{
			clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: place.hosts[primitives.FrontendService].All[0]},
		},
	}
	c.DCRedirectionPolicy.Policy = "noop"
	// The server's own workers call the internal frontend. It trusts every caller, and only this process has the certificate
	// that its port asks for.
	for _, state := range []*string{
		&c.Archival.History.State, &c.Archival.Visibility.State,
		&c.NamespaceDefaults.Archival.History.State, &c.NamespaceDefaults.Archival.Visibility.State,
	} {
		*state = config.ArchivalDisabled
	}
	for i, name := range services {
		// Without an HTTPPort no service opens an HTTP API.
		c.Services[string(name)] = config.Service{RPC: config.RPC{BindOnIP: ipOf(o.ip, i), GRPCPort: place.ports[name]}}
	}
	if o.cluster.metricsPort != 0 {
		c.Global.Metrics = &metrics.Config{
			ClientConfig: metrics.ClientConfig{RecordTimerInSeconds: true},
			Prometheus: &metrics.PrometheusConfig{
				Framework: metrics.FrameworkOpentelemetry, ListenAddress: join(loopbackIP, o.cluster.metricsPort),
			},
		}
	}
	logger := log.BuildZapLogger(log.Config{Stdout: true, Level: o.logLevel})
	logger = logger.WithOptions(zap.AddStacktrace(zap.FatalLevel)) // else 8 KB for each call cut off by a stop
	return temporal.NewServer(
		temporal.WithConfig(c), temporal.ForServices(place.served), temporal.WithStaticHosts(place.hosts),
		temporal.WithLogger(log.NewZapLogger(logger)),
		temporal.WithDynamicConfigClient(settings), temporal.WithAuthorizer(doors), temporal.WithTLSConfigFactory(doors),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return doors }),
	)
}

// parseSettings reads key=json pairs over defaults fit for one process: a cache for thousands of open workflows, and
// lists in the UI which are not throttled.
func parseSettings(pairs []string) (dynamicconfig.StaticClient, error) {
	settings := dynamicconfig.StaticClient{
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key():                 8096,
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 100,
	}
	for _, pair := range pairs {
		key, text, found := strings.Cut(pair, "=")
		var value any
		if err := json.Unmarshal([]byte(text), &value); !found || err != nil {
			return nil, fmt.Errorf("--dynamic-config %q: expected key=json, such as system.enableEagerWorkflowStart=true", pair)
		}
		if number, ok := value.(float64); ok && number == float64(int(number)) {
			value = int(number) // settings of whole numbers refuse a float
		}
		settings[dynamicconfig.MakeKey(key)] = value
	}
	return settings, nil
}

// ipOf is where a service listens, by its place in the list of services: only the first, the frontend, beyond loopback.
func ipOf(frontendIP string, place int) string {
	if place == 0 || net.ParseIP(frontendIP).IsLoopback() {
		return frontendIP
	}
	return loopbackIP
}

// nearIP is the address by which this machine reaches what listens on an address.
func nearIP(ip string) string {
	switch parsed := net.ParseIP(ip); {
	case !parsed.IsUnspecified():
		return ip
	case parsed.To4() == nil:
		return net.IPv6loopback.String()
	}
	return loopbackIP
}

// pickPorts tries every port and replaces each 0 by a free one. All are held until the last is found: no two are equal.
func pickPorts(frontendIP string, wanted ...int) ([]int, error) {
	ports := make([]int, len(wanted))
	for i, port := range wanted {
		listener, err := net.Listen("tcp", join(ipOf(frontendIP, i), port))
		if err != nil {
			return nil, fmt.Errorf("port %d is not free: %w", port, err)
		}
		defer listener.Close()
		ports[i] = listener.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}

func join(ip string, port int) string { return net.JoinHostPort(ip, strconv.Itoa(port)) }
