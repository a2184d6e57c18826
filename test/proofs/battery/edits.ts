/**
 * Rewrites of Postgres row by row: one value, one row or two rows are others, and no hash is computed again.
 */
import type { Random } from '../../faults/random.ts'
import { NO_EVIDENCE, NOT_EVIDENCE } from '../../support/evidence.ts'
import type { Dump, Row, Table } from './dump.ts'
import { bytesOf, type Forgery, hex, jsonOf } from './forgery.ts'

/** Changes a forgery. One that changes nothing does not count as an attack. */
export type Edit = (forgery: Forgery, random: Random) => void

/** What hangs on the chains, and is another kind of attack each. */
const BESIDE = ['account', 'lease', 'life', 'watch', 'parking']

const isEvidence = (table: string, column: string) =>
  NO_EVIDENCE[table] === undefined && !NOT_EVIDENCE.includes(`${table}.${column}`)

/**
 * @param row whose columns they are: a wake that nobody said has no conversation, and without a caller none
 *   of its kind. A login that the server does not have is not judged, as after a restored backup;
 *   `catalog.test.ts` tries the others
 */
const evidentColumns = ({ name, columns }: Table, row: Readonly<Row> = {}): string[] => {
  const isMeant = (column: string) =>
    name !== 'inbox' ||
    (column !== 'login' &&
      (row.caller !== null || !column.startsWith('caller_')) &&
      (row.kind === 'summon' || column !== 'channel'))
  return [...columns.keys()].filter((column) => isEvidence(name, column) && isMeant(column))
}

/** Tables with rows of which something is evidence. */
const tablesOf = (from: Dump): Table[] =>
  [...from.values()].filter((table) => table.rows.length > 0 && evidentColumns(table).length > 0)

function rowOf(forgery: Forgery, random: Random, names: readonly string[] | null = null) {
  const table = random.pick(
    tablesOf(forgery.from).filter(({ name }) => names === null || names.includes(name)),
  )
  return { table, row: random.pick(forgery.rows(table.name).filter((row) => isStreamed(table, row))) }
}

/** An account without a budget of its own only counts. */
const isStreamed = ({ name }: Table, row: Row) => name !== 'account' || row.revision !== '0'

/** One bit of one value is another; a value without bits is another value. */
export const flipBit: Edit = (forgery, random) => {
  const { table, row } = rowOf(forgery, random)
  const column = random.pick(evidentColumns(table, row))
  row[column] = otherValue(row[column] ?? null, table.columns.get(column) ?? '', random)
}

function otherValue(value: string | null, type: string, random: Random): string | null {
  if (type === 'bytea') return hex(flipped(bytesOf(value), random))
  if (type === 'boolean') return value === 'true' ? 'false' : 'true'
  if (type === 'uuid') return (value ?? '').replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
  if (type === 'jsonb') return value === null ? '1' : null
  if (/^(bigint|integer|smallint)$/.test(type)) return value === null ? '1' : String(Number(value) + 1)
  if (type.startsWith('timestamp')) return value === null ? '2026-01-01' : null
  if (value === null || value === '') return 'x'
  const at = random.between(0, value.length - 1)
  const letter = value.charCodeAt(at)
  return value.slice(0, at) + String.fromCharCode(letter === 1 ? 2 : letter ^ 1) + value.slice(at + 1)
}

function flipped(bytes: Buffer, random: Random): Buffer {
  if (bytes.length === 0) return Buffer.of(1)
  const at = random.between(0, bytes.length - 1)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.between(0, 7))
  return bytes
}

/** Two rows of a table have each other's value. */
export const swap: Edit = (forgery, random) => {
  const { table, row } = rowOf(forgery, random)
  const other = random.pick(forgery.rows(table.name).filter((each) => isStreamed(table, each)))
  const column = random.pick(evidentColumns(table, row))
  if (table.key.includes(column) && table.key.length > 1) return
  ;[row[column], other[column]] = [other[column] ?? null, row[column] ?? null]
}

/** A row is gone. */
export const remove: Edit = (forgery, random) => {
  const { table, row } = rowOf(forgery, random)
  // The next process that needs a content names it as missing. This one may have it in memory.
  if (table.name === 'reality' || table.name === 'blob') return
  forgery.drop(table.name, (each) => each === row)
}

/** A payload, an answer or an effect is gone as if it had been erased, without a tombstone. */
export const eraseSilently: Edit = (forgery, random) => {
  const { table, row } = rowOf(forgery, random, ['fact', 'moment_decision', 'moment_effect'])
  if (table.name === 'fact') Object.assign(row, { salt: null, bytes: null })
  else forgery.drop(table.name, (each) => each === row)
}

/** A row that is like another one, with a name of its own. */
export const insert: Edit = (forgery, random) => {
  const tables = ['projection', 'inbox', 'life', 'lease', 'watch', 'moment_effect', 'moment_open', 'fact']
  const { table, row } = rowOf(forgery, random, tables)
  const number = random.between(1, 1000)
  // A moment that judged no call names no effect, so its effect proves nothing.
  const judged = forgery.rows('moment_outcome').filter((each) => 'judged' in jsonOf(each.record))
  const moment = random.pick(judged).moment ?? null
  const names: Record<string, Row> = {
    projection: { key: `being:ghost-${number}`, reel: `being:ghost-${number}` },
    inbox: { id: `forged-${number}` },
    life: { generation: String(Number(row.generation) + number) },
    lease: { being: random.pick(['ann', 'ben', 'mind', 'nobody']) },
    watch: { path: `${row.path}.deep-${number}` },
    moment_effect: { moment },
    moment_open: { moment },
    fact: { seq: String(Number(row.seq) + number) },
  }
  // a wake without a sender proves nothing until it is lived
  if (table.name === 'inbox' && row.kind !== 'summon') return
  const copy = { ...row, ...names[table.name] }
  const isThere = forgery
    .rows(table.name)
    .some((each) => table.key.every((name) => each[name] === copy[name]))
  if (!isThere) forgery.rows(table.name).push(copy)
}

/**
 * What happened once happens twice: a fact or a record stands at the end of its chain again, or a summon
 * comes again.
 */
export const duplicate: Edit = (forgery, random) => {
  const { table, row } = rowOf(forgery, random, ['fact', 'moment_outcome', 'inbox'])
  if (table.name === 'inbox') {
    if (row.kind !== 'summon') return
    forgery.rows('inbox').push({ ...row, id: `${row.id}-again`, claimed_by: null })
  } else if (table.name === 'fact') {
    const seq = String(forgery.facts(row.reel ?? '').length + 1)
    forgery.rows('fact').push({ ...row, seq })
    if (random.chance(0.5)) forgery.relinkFacts(row.reel ?? '', Number(seq))
  } else {
    const n = String(forgery.records(row.being ?? '').length + 1)
    forgery.rows('moment_outcome').push({ ...row, n, moment: `${row.being}/9/${n}` })
    if (random.chance(0.5)) forgery.relinkRecords(row.being ?? '', Number(n))
  }
}

/** Two neighbours of a chain stand in the other order. */
export const reorder: Edit = (forgery, random) => {
  const isFact = random.chance(0.5)
  const chain = isFact
    ? forgery.facts(random.pick(forgery.rows('fact')).reel ?? '')
    : forgery.records(random.pick(forgery.rows('moment_outcome')).being ?? '')
  if (chain.length < 2) return
  const at = random.between(0, chain.length - 2)
  const [first, second] = [chain[at] as Row, chain[at + 1] as Row]
  const number = isFact ? 'seq' : 'n'
  ;[first[number], second[number]] = [second[number] ?? null, first[number] ?? null]
  if (random.chance(0.5)) {
    if (isFact) forgery.relinkFacts(first.reel ?? '', Number(second.seq))
    else forgery.relinkRecords(first.being ?? '', Number(second.n))
  }
}

/** A chain has another end than its head says, or its head says another end. */
export const editHead: Edit = (forgery, random) => {
  const { row } = rowOf(forgery, random, ['head'])
  const column = random.pick(['seq', 'hash', 'state_seq'])
  row[column] =
    column === 'hash' ? hex(flipped(bytesOf(row.hash), random)) : String(Math.max(0, Number(row[column]) - 1))
}

/** A stored content is another one, under its old digest or with a digest that fits. */
export const editBlob: Edit = (forgery, random) => {
  const { row } = rowOf(forgery, random, ['blob'])
  row.bytes = hex(flipped(bytesOf(row.bytes), random))
}

const editOf =
  (...names: string[]): Edit =>
  (forgery, random) => {
    const { table, row } = rowOf(forgery, random, names)
    if (table.name === 'inbox' && row.closed_by === null) return // nobody has lived it yet
    const column = random.pick(evidentColumns(table, row))
    const others = forgery.rows(table.name).map((each) => each[column] ?? null)
    row[column] = random.chance(0.5)
      ? random.pick(others)
      : otherValue(row[column] ?? null, table.columns.get(column) ?? '', random)
  }

export const editInbox = editOf('inbox')
export const editOpen = editOf('moment_open')
export const editRow = editOf('projection')
export const editReality = editOf('reality')

/** A budget, a lease, a life or a watch is another one, new or gone. */
export const editBeside: Edit = (forgery, random) => {
  const { table, row } = rowOf(forgery, random, BESIDE)
  if (random.chance(0.3)) forgery.drop(table.name, (each) => each === row)
  else editOf(table.name)(forgery, random)
}
