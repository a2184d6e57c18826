/** The kinds of attacks: whose store each writes, and how. */
import type { Checkpoint } from '@treeos/proofs'
import type { Random } from '../../faults/random.ts'
import type { Dump } from './dump.ts'
import {
  duplicate,
  type Edit,
  editBeside,
  editBlob,
  editHead,
  editInbox,
  editOpen,
  editReality,
  editRow,
  eraseSilently,
  flipBit,
  insert,
  remove,
  reorder,
  swap,
} from './edits.ts'
import {
  changeBeing,
  cutTail,
  flipDigest,
  type HistoryEdit,
  inventRun,
  moveEvent,
  removeEvent,
  removeRun,
  repeatEvent,
  replaceResult,
  restoreHistories,
} from './history-edits.ts'
import {
  editAnswer,
  editRole,
  moveFact,
  restore,
  reTime,
  rewriteRecords,
  rewriteReel,
  truncate,
} from './rewrites.ts'
import type { Backup, Stage } from './stage.ts'

/** Rewrites Postgres. */
export interface PostgresKind {
  readonly store: 'postgres'
  readonly what: string
  readonly edit: Edit
}

/** Rewrites the histories that Temporal keeps. */
export interface TemporalKind {
  readonly store: 'temporal'
  readonly what: string
  readonly edit: HistoryEdit
}

/** Replaces both stores by others that fit each other: only checkpoints show it. */
export interface WholeKind {
  readonly store: 'both'
  readonly what: string
  /** what both stores hold then, and the entries of the log that are as they were */
  readonly draw: (random: Random) => { readonly backup: Backup; readonly shared: number }
  /** the log in Postgres stays as it was */
  readonly keepsLog: boolean
}

export type Kind = PostgresKind | TemporalKind | WholeKind

const postgres = (what: string, edit: Edit): PostgresKind => ({ store: 'postgres', what, edit })
const temporal = (what: string, edit: HistoryEdit): TemporalKind => ({ store: 'temporal', what, edit })

export function kindsOf({ backups, others }: Stage): readonly Kind[] {
  const older = backups.slice(0, -1)
  const first = backups[0]?.size ?? 0
  const anOlder = (random: Random) => {
    const backup = random.pick(older)
    return { backup, shared: backup.size }
  }
  const another = (random: Random) => ({ backup: random.pick(others), shared: first })
  return [
    postgres('a bit of any column is flipped', flipBit),
    postgres('two rows have each other’s value', swap),
    postgres('a row is deleted', remove),
    postgres('a row is inserted', insert),
    postgres('a fact, a record or a summon is there twice', duplicate),
    postgres('two facts or records are reordered', reorder),
    postgres('a fact or a moment is at another time', reTime),
    postgres('a fact is on another reel', moveFact),
    postgres('the suffix of a reel is rewritten', rewriteReel),
    postgres('the suffix of a being’s records is rewritten', rewriteRecords),
    postgres('the newest moments of a being are cut off', truncate(backups)),
    postgres('an old backup is restored', restore(older)),
    postgres('a fork is put in its place', restore(others)),
    postgres('a blob is edited', editBlob),
    postgres('a head is edited', editHead),
    postgres('a role is edited', editRole),
    postgres('a wake in an inbox is edited', editInbox),
    postgres('what a moment opened with is edited', editOpen),
    postgres('a decision or an effect is edited', editAnswer),
    postgres('a budget, a lease, a life or a watch is edited', editBeside),
    postgres('a row is edited', editRow),
    postgres('the row of the reality is edited', editReality),
    postgres('a payload, answer or effect is erased without a tombstone', eraseSilently),
    temporal('an id or a digest that an event carries has another bit', flipDigest),
    temporal('an event is removed', removeEvent),
    temporal('an event is moved', moveEvent),
    temporal('an event is there twice', repeatEvent),
    temporal('the result of a local activity is another one', replaceResult),
    temporal('a run has the history of another being', changeBeing),
    temporal('the tail of a run is cut off', cutTail),
    temporal('a run is gone', removeRun),
    temporal('a run is invented', inventRun),
    temporal('old histories are restored', restoreHistories(backups)),
    { store: 'both', what: 'both stores are an old backup', draw: anOlder, keepsLog: false },
    { store: 'both', what: 'both stores are an old backup, the log is not', draw: anOlder, keepsLog: true },
    { store: 'both', what: 'both stores are rewritten', draw: another, keepsLog: false },
    { store: 'both', what: 'both stores are rewritten, the log is not', draw: another, keepsLog: true },
  ]
}

/** Of a log's checkpoints some, and at least one that is larger than what is as it was. */
export function someCheckpoints(all: readonly Checkpoint[], shared: number, random: Random): Checkpoint[] {
  const larger = random.pick(all.filter(({ size }) => size > shared))
  return all.filter((one) => one === larger || random.chance(0.5))
}

const LOG_TABLES = ['log_entry', 'log_tile', 'log_state']

/** A dump whose tables of the log are those of another one. */
export const withLogOf = (dump: Dump, other: Dump): Dump =>
  new Map(
    [...dump].map(([name, table]) => [name, LOG_TABLES.includes(name) ? (other.get(name) ?? table) : table]),
  )
