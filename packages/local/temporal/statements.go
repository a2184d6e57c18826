package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"unsafe"

	"github.com/jmoiron/sqlx"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	persistence "go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/resolver"
)

// ownPlugin is the name of Temporal's SQLite plugin with our connections and our packed histories.
const ownPlugin = "treeos-sqlite"

// statementsMax bounds what one connection keeps. The server has about 150 statements; inserts of several rows add a few.
const statementsMax = 500

// plugin makes databases by Temporal's plugin and replaces the connections within. SQLite parses and plans a statement each
// time it is prepared, and Temporal's plugin prepares each statement each time it runs. Histories are packed, see
// history_nodes.go. It is for files only: replacing the connection of a database in memory would lose it.
type plugin struct {
	packer         *packer
	keepStatements bool
}

func (plugin) GetVisibilityQueryConverter() sqlplugin.VisibilityQueryConverter {
	converter, _ := persistence.GetPluginVisibilityQueryConverter(sqliteplugin.PluginName)
	return converter
}

func (p plugin) CreateDB(
	kind sqlplugin.DbKind, cfg *config.SQL, r resolver.ServiceResolver, logger log.Logger, m metrics.Handler,
) (sqlplugin.GenericDB, error) {
	plain := *cfg
	plain.PluginName = sqliteplugin.PluginName
	db, err := persistence.NewSQLDB(kind, &plain, r, logger, m)
	if err != nil {
		return nil, err
	}
	whole, ok := db.(sqliteDB)
	if !ok {
		return nil, fmt.Errorf("Temporal's SQLite plugin has changed: history_nodes.go does not fit a %T", db)
	}
	if p.keepStatements {
		err = keepStatements(db, cfg)
	}
	return packedDB{whole, p.packer}, err
}

// keepStatements replaces the pool of connections of a database. All services share one pool, so it is replaced once.
func keepStatements(db sqlplugin.DB, cfg *config.SQL) error {
	field := reflect.ValueOf(db).Elem().FieldByName("db")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*sqlx.DB]() {
		return errors.New("Temporal's SQLite plugin has changed: statements.go does not fit it")
	}
	pool := *(**sqlx.DB)(unsafe.Pointer(field.UnsafeAddr()))
	if _, done := pool.Driver().(keeper); done {
		return nil
	}
	inner := pool.Driver()
	if err := pool.DB.Close(); err != nil { // it holds the lock of the file
		return err
	}
	pool.DB = sql.OpenDB(keeper{inner, dsnOf(cfg)})
	pool.DB.SetMaxOpenConns(1) // as Temporal's plugin does: the file is locked by one connection
	pool.DB.SetMaxIdleConns(1)
	return pool.DB.Ping()
}

// dsnOf is what Temporal's plugin makes of our attributes.
func dsnOf(cfg *config.SQL) string {
	values := url.Values{"_time_format": {"sqlite"}}
	for name, value := range cfg.ConnectAttributes {
		if name == "mode" || name == "cache" {
			values.Set(name, value)
		} else {
			values.Add("_pragma", name+"="+value)
		}
	}
	return fmt.Sprintf("file:%s?%s", cfg.DatabaseName, values.Encode())
}

// keeper opens connections that keep their statements. It is connector and driver in one.
type keeper struct {
	inner driver.Driver
	dsn   string
}

func (k keeper) Driver() driver.Driver { return k }

func (k keeper) Open(dsn string) (driver.Conn, error) { return k.inner.Open(dsn) }

func (k keeper) Connect(context.Context) (driver.Conn, error) {
	opened, err := k.inner.Open(k.dsn)
	if err != nil {
		return nil, err
	}
	inner, ok := opened.(innerConn)
	if !ok {
		return nil, fmt.Errorf("the SQLite driver has changed: statements.go does not fit a %T", opened)
	}
	return &conn{innerConn: inner, kept: map[string]*statement{}}, nil
}

// innerConn is what the SQLite driver's connections can do.
type innerConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type innerStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type statement struct {
	innerStatement
	isReading bool // its rows are not closed yet
}

// conn is used by one goroutine at a time, as database/sql promises.
type conn struct {
	innerConn
	kept map[string]*statement
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.keep(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.innerConn.ExecContext(ctx, query, args)
	}
	return s.ExecContext(ctx, args)
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.keep(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.innerConn.QueryContext(ctx, query, args)
	}
	found, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.isReading = true
	return &rows{found, s}, nil
}

// keep returns nil for a statement whose rows are still read, and when enough are kept.
func (c *conn) keep(ctx context.Context, query string) (*statement, error) {
	if s, found := c.kept[query]; found {
		if s.isReading {
			return nil, nil
		}
		return s, nil
	}
	if len(c.kept) >= statementsMax {
		return nil, nil
	}
	prepared, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	inner, ok := prepared.(innerStatement)
	if !ok {
		return nil, prepared.Close()
	}
	s := &statement{innerStatement: inner}
	c.kept[query] = s
	return s, nil
}

func (c *conn) Close() error {
	for _, s := range c.kept {
		_ = s.Close()
	}
	return c.innerConn.Close()
}

type rows struct {
	driver.Rows
	of *statement
}

func (r *rows) Close() error {
	r.of.isReading = false
	return r.Rows.Close()
}
