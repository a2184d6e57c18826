package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence"
	persistencesql "go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/common/resolver"
	dbschema "go.temporal.io/server/schema"
	schema12 "go.temporal.io/server/schema/postgresql/v12"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

// A cluster is several processes of this server with one Postgres, each with some of the services. TreeOS starts none for its
// users: `pnpm bench scale` measures with one how far it scales, and docs/running.md says what belongs into a real one.
type clusterOptions struct {
	postgresFile string // its URL has a password, so it is neither an argument nor a variable
	internodeDir string
	prepare      bool
	metricsPort  int
	serve        list // SERVICE=HOST:PORT of this process
	members      list // SERVICE=HOST:PORT of all processes
}

// checkCluster refuses flags that do not go together.
func checkCluster(o options) error {
	c := o.cluster
	switch {
	case (len(c.serve) > 0 || c.prepare) && (c.postgresFile == "" || c.internodeDir == ""):
		return errors.New("--serve and --prepare take --postgres-file and --internode-dir")
	case len(c.serve) > 0 && !o.headless:
		return errors.New("--serve takes --headless: the web UI is a part of the server that has all services")
	case len(c.serve) > 0 && !net.ParseIP(o.ip).IsLoopback():
		return fmt.Errorf("--serve takes a loopback address, not --ip %s", o.ip)
	case c.postgresFile != "" && o.db != "":
		return errors.New("--postgres-file and --db exclude each other")
	}
	return nil
}

const (
	visibilityStoreName = "visibility"
	postgresConnsMax    = 10 // of each store in each process
)

// placement says which services this process has, and where all of them are.
type placement struct {
	served []string
	ports  map[primitives.ServiceName]int
	hosts  map[primitives.ServiceName]static.Hosts
}

// newPlacement reads --serve and --member. Without them all services are in this process, in the order of their ports.
func newPlacement(o options, ports []int) (*placement, error) {
	p := &placement{ports: map[primitives.ServiceName]int{}, hosts: map[primitives.ServiceName]static.Hosts{}}
	if len(o.cluster.serve) == 0 {
		for i, name := range services {
			p.ports[name] = ports[i]
			p.hosts[name] = static.SingleLocalHost(join(nearIP(ipOf(o.ip, i)), ports[i]))
		}
		p.served = temporal.Services
		return p, nil
	}
	for _, pair := range o.cluster.members {
		name, address, _, err := readMember("--member", pair)
		if err != nil {
			return nil, err
		}
		p.hosts[name] = static.Hosts{All: append(p.hosts[name].All, address)}
	}
	for _, pair := range o.cluster.serve {
		name, address, port, err := readMember("--serve", pair)
		if err != nil {
			return nil, err
		}
		all := p.hosts[name].All
		if !slices.Contains(all, address) {
			return nil, fmt.Errorf("--serve %s: no --member says the same", pair)
		}
		p.served = append(p.served, string(name))
		p.ports[name] = port
		p.hosts[name] = static.Hosts{All: all, Self: address}
	}
	for _, name := range services {
		if len(p.hosts[name].All) == 0 {
			return nil, fmt.Errorf("no --member has the service %s", name)
		}
	}
	return p, nil
}

// readMember takes loopback addresses only: the certificate among the services does not say which machine they are on.
func readMember(flagName, pair string) (primitives.ServiceName, string, int, error) {
	name, address, _ := strings.Cut(pair, "=")
	host, text, err := net.SplitHostPort(address)
	port, notNumber := strconv.Atoi(text)
	if err != nil || notNumber != nil || !net.ParseIP(host).IsLoopback() || !slices.Contains(services, primitives.ServiceName(name)) {
		return "", "", 0, fmt.Errorf("%s %s: expected SERVICE=IP:PORT on loopback, such as history=127.0.0.1:7234", flagName, pair)
	}
	return primitives.ServiceName(name), address, port, nil
}

// postgresStores are the two databases of a cluster: the state, and its index for lists. The second has the name of the first
// with _visibility.
func postgresStores(o options) (state, visibility *config.SQL, err error) {
	if err := requirePrivate("--postgres-file", o.cluster.postgresFile); err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(o.cluster.postgresFile)
	if err != nil {
		return nil, nil, err
	}
	at, err := url.Parse(strings.TrimSpace(string(text)))
	if err != nil || at.Scheme != "postgres" || !net.ParseIP(at.Hostname()).IsLoopback() {
		return nil, nil, fmt.Errorf("--postgres-file %s holds no URL such as postgres://user:password@127.0.0.1:5432/temporal", o.cluster.postgresFile)
	}
	password, _ := at.User.Password()
	store := func(name string) *config.SQL {
		return &config.SQL{
			PluginName: postgresql.PluginName, DatabaseName: name, ConnectAddr: at.Host, ConnectProtocol: "tcp",
			User: at.User.Username(), Password: password, MaxConns: postgresConnsMax, MaxIdleConns: postgresConnsMax,
		}
	}
	name := strings.TrimPrefix(at.Path, "/")
	return store(name), store(name + "_visibility"), nil
}

// prepareCluster makes what the processes of a cluster find when they start: the authority of the services among themselves,
// the tables of both databases, which must be empty, and the namespace.
func prepareCluster(o options, namespace *sqlite.NamespaceConfig) error {
	if err := makeInternodeAuthority(o.cluster.internodeDir); err != nil {
		return err
	}
	state, visibility, err := postgresStores(o)
	if err != nil {
		return err
	}
	if err := makeTables(state, "postgresql/v12/temporal/schema.sql", schema12.Version); err != nil {
		return fmt.Errorf("database %s: %w", state.DatabaseName, err)
	}
	if err := makeTables(visibility, "postgresql/v12/visibility/schema.sql", schema12.VisibilityVersion); err != nil {
		return fmt.Errorf("database %s: %w", visibility.DatabaseName, err)
	}
	return sqlite.CreateNamespaces(state, namespace) // it takes any SQL database
}

func makeTables(store *config.SQL, file, version string) error {
	admin, err := persistencesql.NewSQLAdminDB(
		sqlplugin.DbKindUnknown, store, resolver.NewNoopResolver(), log.NewNoopLogger(), metrics.NoopMetricsHandler)
	if err != nil {
		return err
	}
	defer admin.Close()
	source, err := dbschema.Assets().Open(file)
	if err != nil {
		return err
	}
	defer source.Close()
	statements, err := persistence.LoadAndSplitQueryFromReaders([]io.Reader{source})
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if err := admin.Exec(statement); err != nil {
			return err
		}
	}
	if err := admin.CreateSchemaVersionTables(); err != nil {
		return err
	}
	return admin.UpdateSchemaVersion(store.DatabaseName, version, version)
}

// makeInternodeAuthority leaves an authority that is there alone.
func makeInternodeAuthority(folder string) error {
	if folder == "" {
		return errors.New("--internode-dir is missing: it names the folder of the certificates by which the services know each other")
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return makeAuthority(folder, "treeos internode authority", func(*authority, string) error { return nil })
}

// internodeTLS makes the certificate of one process of a cluster, signed by the authority that only these processes read.
func (a *authority) internodeTLS() (*tls.Config, error) {
	template := newTemplate(internodeName)
	template.DNSNames = []string{internodeName}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	der, key, err := a.sign(template)
	if err != nil {
		return nil, err
	}
	return internodeConfig(tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, a.certificate), nil
}
