package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/klauspost/compress/zstd"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/primitives"
)

// History is nearly all that Temporal keeps of a being, and half of it is the same in every moment: names of fields, of
// activities and of the worker. So our SQLite file holds it packed by zstd, with a dictionary of what events have in common. Only
// the column `data` of history_node is packed. How a row is packed stands before its encoding, so rows of older servers are read too.
const (
	packedMark          = "zstd1/"
	historyDictionaryID = 1
	unpackedBytesMax    = 256 << 20 // of one row; a transaction of Temporal is 4 MB at most
)

type packer struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
	// isOff stores new rows as they are. Packed rows are read all the same.
	isOff bool
}

func newPacker(isOff bool) (*packer, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(64<<10), zstd.WithLowerEncoderMem(true), zstd.WithEncoderDictRaw(historyDictionaryID, historyDictionary))
	if err != nil {
		return nil, err
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(unpackedBytesMax),
		zstd.WithDecoderDictRaw(historyDictionaryID, historyDictionary))
	return &packer{encoder, decoder, isOff}, err
}

// pack leaves a row as it is when packing does not make it smaller.
func (p *packer) pack(row *sqlplugin.HistoryNodeRow) *sqlplugin.HistoryNodeRow {
	if p.isOff {
		return row
	}
	data := p.encoder.EncodeAll(row.Data, make([]byte, 0, len(row.Data)))
	if len(data)+len(packedMark) >= len(row.Data) {
		return row
	}
	packed := *row
	packed.Data, packed.DataEncoding = data, packedMark+row.DataEncoding
	return &packed
}

func (p *packer) unpack(row *sqlplugin.HistoryNodeRow, branch primitives.UUID) error {
	encoding, isPacked := strings.CutPrefix(row.DataEncoding, packedMark)
	if !isPacked {
		return nil
	}
	data, err := p.decoder.DecodeAll(row.Data, nil)
	if err != nil {
		return fmt.Errorf("history node %d of branch %s cannot be unpacked: %w", row.NodeID, branch, err)
	}
	row.Data, row.DataEncoding = data, encoding
	return nil
}

// sqliteDB is all that Temporal's SQLite plugin makes.
type sqliteDB interface {
	sqlplugin.DB
	sqlplugin.AdminCRUD
	ExpectedVersion() string
	VerifyVersion() error
}

type packedDB struct {
	sqliteDB
	packer *packer
}

type packedTx struct {
	sqlplugin.Tx
	packer *packer
}

var (
	_ sqlplugin.DB      = packedDB{}
	_ sqlplugin.AdminDB = packedDB{}
)

func (db packedDB) BeginTx(ctx context.Context) (sqlplugin.Tx, error) {
	tx, err := db.sqliteDB.BeginTx(ctx)
	if err != nil {
		return nil, err
	}
	return packedTx{tx, db.packer}, nil
}

func (db packedDB) InsertIntoHistoryNode(ctx context.Context, row *sqlplugin.HistoryNodeRow) (sql.Result, error) {
	return db.sqliteDB.InsertIntoHistoryNode(ctx, db.packer.pack(row))
}

func (db packedDB) RangeSelectFromHistoryNode(
	ctx context.Context, filter sqlplugin.HistoryNodeSelectFilter,
) ([]sqlplugin.HistoryNodeRow, error) {
	rows, err := db.sqliteDB.RangeSelectFromHistoryNode(ctx, filter)
	return db.packer.unpackAll(rows, filter, err)
}

func (tx packedTx) InsertIntoHistoryNode(ctx context.Context, row *sqlplugin.HistoryNodeRow) (sql.Result, error) {
	return tx.Tx.InsertIntoHistoryNode(ctx, tx.packer.pack(row))
}

func (tx packedTx) RangeSelectFromHistoryNode(
	ctx context.Context, filter sqlplugin.HistoryNodeSelectFilter,
) ([]sqlplugin.HistoryNodeRow, error) {
	rows, err := tx.Tx.RangeSelectFromHistoryNode(ctx, filter)
	return tx.packer.unpackAll(rows, filter, err)
}

// unpackAll unpacks what was read. Rows that were read without their data have no encoding.
func (p *packer) unpackAll(
	rows []sqlplugin.HistoryNodeRow, filter sqlplugin.HistoryNodeSelectFilter, err error,
) ([]sqlplugin.HistoryNodeRow, error) {
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if err := p.unpack(&rows[i], filter.BranchID); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
