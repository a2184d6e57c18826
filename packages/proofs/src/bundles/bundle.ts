import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  type BeingName,
  type Digest,
  isJsonObject,
  type Json,
  type JsonObject,
  momentsReel,
  readPath,
} from '@treeos/core'
import { type Db, inSnapshot, type Reality, type StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import { LineWriter } from './lines.ts'
import type { CheckpointedLog } from './log.ts'
import {
  type MomentLine,
  readChains,
  readContents,
  readFacts,
  readFactsByHash,
  readMoments,
  type Scope,
} from './read.ts'

export interface ExportRequest {
  readonly file: string
  /** only what this being lived; all when left out */
  readonly being?: BeingName | undefined
  /** number of its first moment; default 1 */
  readonly since?: number | undefined
  /** number of its last moment; default its newest */
  readonly until?: number | undefined
  /** null: the bundle has no checkpoint */
  readonly log: CheckpointedLog | null
  readonly onProgress?: (line: string) => void
}

export interface Exported {
  readonly file: string
  readonly lines: number
  /** lines by kind */
  readonly counts: Readonly<Record<string, number>>
}

const PROGRESS_LINES = 5000

/**
 * Writes an audit bundle from one snapshot of the database. It holds one page of rows at a time. The file is there when it is whole.
 * @throws the error of the file or the database
 */
export async function exportBundle(
  db: Kysely<StoreDb>,
  reality: Reality,
  request: ExportRequest,
): Promise<Exported> {
  const draft = `${request.file}.part`
  const writer = new LineWriter()
  const counts: Record<string, number> = {}
  await inSnapshot(db, async (tx) => {
    const lines = Readable.from(textOf(tx, reality, request, { writer, counts }))
    await pipeline(lines, createWriteStream(draft, { mode: 0o600 })) // it holds all that was said
  })
  await rename(draft, request.file)
  return { file: request.file, lines: writer.count, counts }
}

interface Told {
  readonly writer: LineWriter
  readonly counts: Record<string, number>
}

async function* textOf(
  tx: Db,
  reality: Reality,
  request: ExportRequest,
  { writer, counts }: Told,
): AsyncGenerator<string> {
  for await (const value of linesOf(tx, reality, request)) {
    const kind = String(value.kind)
    counts[kind] = (counts[kind] ?? 0) + 1
    yield writer.write(value)
    if (writer.count % PROGRESS_LINES === 0) request.onProgress?.(`${writer.count} lines`)
  }
  yield writer.write({ kind: 'end', counts: { ...counts } })
}

async function* linesOf(tx: Db, reality: Reality, request: ExportRequest): AsyncGenerator<JsonObject> {
  const { being = null, since = 1, until = Number.MAX_SAFE_INTEGER, log } = request
  const scope: Scope = { being, since, until: Math.min(until, 2 ** 31 - 1) }
  const told: JsonObject = being === null ? { all: true } : { being, since, until: request.until ?? null }
  yield { kind: 'manifest', format: 'treeos.bundle.v1', reality: reality.id, scope: told, at: Date.now() }
  const chains: { reel: string; seq: number }[] = []
  for await (const chain of readChains(tx, scope)) {
    chains.push({ reel: String(chain.reel), seq: Number(chain.seq) })
    yield { kind: 'head', ...chain }
  }
  for await (const fact of readFacts(tx, being === null ? null : `being:${being}`))
    yield { kind: 'fact', ...fact }
  if (being !== null) {
    const others = await citedBeside(tx, being, scope)
    for await (const fact of readFactsByHash(tx, others))
      if (fact.reel !== `being:${being}`) yield { kind: 'fact', ...fact }
  }
  const contents = new Set<Digest>()
  for await (const moment of readMoments(tx, scope)) {
    for (const digest of contentsOf(moment)) contents.add(digest)
    yield { kind: 'moment', ...moment }
  }
  for await (const content of readContents(tx, [...contents].sort())) yield { kind: 'blob', ...content }
  if (log === null) return
  yield { kind: 'checkpoint', note: log.note }
  for (const { reel, seq } of chains) {
    const proof = await log.prove(reel, seq)
    if (proof !== null)
      yield {
        kind: 'proof',
        index: proof.index,
        path: [...proof.path],
        leaf: await leafOf(tx, reel, proof.seq),
      }
  }
}

/** What the log holds of a link of a chain. */
async function leafOf(tx: Db, reel: string, seq: number): Promise<JsonObject> {
  const isMoment = reel.startsWith(momentsReel(''))
  const being = reel.slice(momentsReel('').length)
  const row = isMoment
    ? await tx
        .selectFrom('moment_outcome')
        .select('hash')
        .where('being', '=', being)
        .where('n', '=', seq)
        .executeTakeFirst()
    : await tx
        .selectFrom('fact')
        .select('hash')
        .where('reel', '=', reel)
        .where('seq', '=', seq)
        .executeTakeFirst()
  const hash = row?.hash.toString('hex') ?? ''
  return isMoment ? { record: [being, seq, hash] } : { fact: [reel, seq, hash] }
}

/** Hashes of facts that a being's moments wrote or cite, other than by their bases. */
async function citedBeside(tx: Db, being: BeingName, scope: Scope): Promise<Digest[]> {
  const hashes = new Set<Digest>()
  for await (const { record, open } of readMoments(tx, scope)) {
    const refs = [
      readPath(record, ['facts']),
      readPath(open, ['aside', 'said', 'facts']),
      readPath(open, ['aside', 'did']),
    ]
    for (const ref of refs.flatMap((found) => (Array.isArray(found) ? found : [])))
      if (Array.isArray(ref) && ref[0] !== `being:${being}` && typeof ref[2] === 'string') hashes.add(ref[2])
    const cause = readPath(open, ['wake', 'cause'])
    if (typeof cause === 'string') hashes.add(cause)
  }
  return [...hashes]
}

/** Digests of the role specs that a moment wore, and of the program that chose them. */
function* contentsOf({ record, open }: MomentLine): Generator<Digest> {
  const stacked = readPath(record, ['stack', 'stacked'])
  const roles: Json[] = [
    readPath(record, ['stack', 'primary']) ?? null,
    ...(Array.isArray(stacked) ? stacked : []),
  ]
  for (const digest of roles.map((role) => (isJsonObject(role) ? role.digest : null)))
    if (typeof digest === 'string') yield digest
  const program = readPath(open, ['program'])
  if (typeof program === 'string') yield program
}
