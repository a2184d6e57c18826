import { createWriteStream, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  approvalOf,
  approvalReel,
  type BeingName,
  beingReel,
  type Digest,
  isJsonObject,
  type Json,
  type JsonObject,
  momentsReel,
  type ReelId,
  readPath,
  stanceOf,
  TreeosError,
  type Wake,
} from '@treeos/core'
import { type Db, genesisHash, inSnapshot, type Reality, type StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import { leafOf } from '../tree/leaf.ts'
import { LineWriter } from './lines.ts'
import type { CheckpointedLog } from './log.ts'
import {
  type ChainEnds,
  type ExportScope,
  findRecordHash,
  isErasedAfter,
  type MomentLine,
  readContents,
  readEnds,
  readFacts,
  readFactsByHash,
  readMoments,
  readRecords,
  readTombstones,
  readYes,
} from './read.ts'

export interface ExportRequest {
  readonly file: string
  /** only what this being lived; all when left out */
  readonly being?: BeingName | undefined
  /** number of its first moment; default 1 */
  readonly since?: number | undefined
  /** number of its last moment; default its newest */
  readonly until?: number | undefined
  /** gives a checkpoint that covers what there is now; null: the bundle has none, and holds what is there */
  readonly log: (() => Promise<CheckpointedLog>) | null
  /** gives the text of a moment's prompt; null where it cannot be made again. Left out: prompts are not in the bundle */
  readonly prompts?: PromptSource | undefined
  readonly onProgress?: (line: string) => void
}

type PromptSource = (being: BeingName, n: number) => Promise<Json | null>

export interface ExportedBundle {
  readonly file: string
  readonly lines: number
  /** lines by kind */
  readonly counts: Readonly<Record<string, number>>
}

const PROGRESS_LINES = 5000
const INT_MAX = 2 ** 31 - 1
/** The last one is written however many are erased meanwhile: then its check may name one of them. */
const ATTEMPTS = 5

/**
 * Writes an audit bundle from one snapshot of the database, as far as its checkpoint covers it. It holds one
 * page of rows at a time. The file is there when it is whole.
 * @throws the error of the log, the file or the database; MOMENT_NOT_FOUND for a range without moments
 */
export async function exportBundle(
  db: Kysely<StoreDb>,
  reality: Reality,
  request: ExportRequest,
): Promise<ExportedBundle> {
  const { being = null, since = 1, until = null, prompts = null, onProgress } = request
  requireRegular(request.file)
  const draft = `${request.file}.part`
  for (let attempt = 1; ; attempt++) {
    const log = request.log === null ? null : await request.log()
    const writer = new LineWriter()
    const counts: Record<string, number> = {}
    const isWritten = await inSnapshot(db, async (tx) => {
      // A content that was erased after the checkpoint is gone from this snapshot, and the log does not hold
      // its tombstone yet.
      if (log !== null && attempt < ATTEMPTS && (await isErasedAfter(tx, log.size))) return false
      const lines = bundleLines(tx, reality, { being, since, until, log, prompts })
      const text = Readable.from(bundleText(lines, { writer, counts, onProgress }))
      await pipeline(text, createWriteStream(draft, { mode: 0o600 })) // it holds all that was said
      return true
    })
    if (!isWritten) continue
    await rename(draft, request.file)
    return { file: request.file, lines: writer.count, counts }
  }
}

/**
 * A bundle takes its place by a rename, which would replace a device or a pipe.
 * @throws {TreeosError} INVALID_INPUT
 */
function requireRegular(file: string): void {
  const there = statSync(file, { throwIfNoEntry: false })
  if (there !== undefined && !there.isFile())
    throw new TreeosError(
      'INVALID_INPUT',
      `${file} is not a regular file: name a file, and read it when it is whole`,
    )
}

interface ExportOutput {
  readonly writer: LineWriter
  readonly counts: Record<string, number>
  readonly onProgress: ExportRequest['onProgress']
}

async function* bundleText(
  lines: AsyncIterable<JsonObject>,
  { writer, counts, onProgress }: ExportOutput,
): AsyncGenerator<string> {
  for await (const value of lines) {
    const kind = String(value.kind)
    counts[kind] = (counts[kind] ?? 0) + 1
    yield writer.write(value)
    if (writer.count % PROGRESS_LINES === 0) onProgress?.(`${writer.count} lines`)
  }
  yield writer.write({ kind: 'end', counts: { ...counts } })
}

interface BundleScope {
  readonly being: BeingName | null
  readonly since: number
  /** null: up to the newest */
  readonly until: number | null
  readonly log: CheckpointedLog | null
  readonly prompts: PromptSource | null
}

interface ChainLink {
  readonly seq: number
  readonly hash: Digest
}
interface BundledChain extends ChainLink {
  /** number of the link before the first, and its hash */
  readonly from: number
  readonly prev: Digest
}
type BundledChains = ReadonlyMap<ReelId, BundledChain>

async function* bundleLines(
  tx: Db,
  reality: Reality,
  { log, prompts, ...scope }: BundleScope,
): AsyncGenerator<JsonObject> {
  const { being, since, until } = scope
  const told: JsonObject = being === null ? { all: true } : { being, since, until }
  yield { kind: 'manifest', format: 'treeos.bundle.v1', reality: reality.id, scope: told, at: Date.now() }
  const chains = await chainsOf(tx, reality, { log, prompts, ...scope })
  for (const [reel, chain] of chains) yield { kind: 'head', reel, ...chain }
  const isHere = ({ reel, seq }: JsonObject) => Number(seq) <= (chains.get(String(reel))?.seq ?? 0)
  for await (const fact of readFacts(tx, being === null ? null : beingReel(being)))
    if (isHere(fact)) yield { kind: 'fact', ...fact }
  const newest = being === null ? null : (chains.get(momentsReel(being))?.seq ?? 0)
  const asked = { being, since, until: newest ?? INT_MAX }
  const tombstones: JsonObject[] = []
  if (being !== null) yield* othersOf(tx, being, asked, tombstones)
  const isTold = (one: JsonObject) => Number(one.n) <= (chains.get(momentsReel(String(one.being)))?.seq ?? 0)
  const contents = new Set<Digest>()
  for await (const moment of readRecords(tx, asked))
    for (const digest of isTold(moment) ? contentsOf(moment) : []) contents.add(digest)
  for await (const content of readContents(tx, [...contents].sort())) yield { kind: 'blob', ...content }
  if (prompts !== null) yield* promptsOf(prompts, contents, readRecords(tx, asked), isTold)
  for await (const moment of readMoments(tx, asked)) if (isTold(moment)) yield { kind: 'moment', ...moment }
  if (log === null) return
  yield { kind: 'checkpoint', note: log.note }
  for (const [reel, { seq, hash }] of chains) yield await proofOf(log, reel, { seq, hash })
  for (const { reel, seq, hash } of tombstones)
    yield await proofOf(log, String(reel), { seq: Number(seq), hash: String(hash) })
}

/**
 * What of each chain is exported: all up to where the log says that it ends, or the moments that were asked
 * for.
 */
async function chainsOf(
  tx: Db,
  reality: Reality,
  { being, since, until, log }: BundleScope,
): Promise<BundledChains> {
  const tree = await log?.ends()
  const ends: ChainEnds =
    tree === undefined
      ? await readEnds(tx)
      : new Map(tree.ends.map(({ reel, seq, hash }) => [reel, { seq, hash: hash.toString('hex') }]))
  const chains = new Map<ReelId, BundledChain>()
  const whole = (reel: ReelId): BundledChain => {
    const prev = genesisHash(reality.id, reel).toString('hex')
    return { from: 0, prev, ...(ends.get(reel) ?? { seq: 0, hash: prev }) }
  }
  const isOfBeing = (reel: ReelId) => reel.startsWith(beingReel(''))
  const named = being === null ? [...ends.keys()] : [beingReel(being)]
  const moments = named.filter(isOfBeing).map((reel) => momentsReel(reel.slice(beingReel('').length)))
  for (const reel of [...new Set([...named, ...moments])].sort()) chains.set(reel, whole(reel))
  if (being === null) return chains
  const own = whole(momentsReel(being))
  const to = Math.min(own.seq, until ?? own.seq)
  if (since === 1 && to === own.seq) return chains
  const [first, last] = [await findRecordHash(tx, being, since), await findRecordHash(tx, being, to)]
  if (first === null || last === null || since > to)
    throw new TreeosError(
      'MOMENT_NOT_FOUND',
      `${stanceOf(being)} has no moments ${since} to ${until ?? 'the newest'} that the log holds`,
    )
  return chains.set(momentsReel(being), { from: since - 1, prev: first.prev, seq: to, hash: last.hash })
}

/** The prompts that models were shown, each text once. @param contents digests of what is in the bundle */
async function* promptsOf(
  source: PromptSource,
  contents: Set<Digest>,
  moments: AsyncIterable<Omit<MomentLine, 'judged'>>,
  isTold: (moment: JsonObject) => boolean,
): AsyncGenerator<JsonObject> {
  for await (const moment of moments) {
    const digest = readPath(moment.record, ['promptDigest'])
    const isModels = readPath(moment.open, ['cognition', 'kind']) === 'llm'
    if (!isModels || typeof digest !== 'string' || contents.has(digest) || !isTold(moment)) continue
    const content = await source(String(moment.being), Number(moment.n))
    if (content === null) continue
    contents.add(digest)
    yield { kind: 'blob', digest, content }
  }
}

/**
 * Facts on reels of others that the moments of a being wrote or cite, and what says that such a fact was
 * erased.
 */
async function* othersOf(
  tx: Db,
  being: BeingName,
  scope: ExportScope,
  tombstones: JsonObject[],
): AsyncGenerator<JsonObject> {
  const named = new Set<Digest>()
  const gone: Digest[] = []
  const { hashes, approvals } = await citedByAsides(tx, being, scope)
  for (const facts of [readYes(tx, approvals), readFactsByHash(tx, hashes)])
    for await (const fact of facts) {
      if (fact.reel === beingReel(being) || named.has(String(fact.hash))) continue
      named.add(String(fact.hash))
      if (fact.salt === null) gone.push(String(fact.hash))
      yield { kind: 'fact', ...fact }
    }
  for await (const fact of readTombstones(tx, gone)) {
    if (named.has(String(fact.hash))) continue
    tombstones.push(fact)
    yield { kind: 'fact', ...fact }
  }
}

/**
 * Shows that a chain ends there at the checkpoint; of one that goes on, and of single facts, that the log
 * holds that link.
 */
async function proofOf(log: CheckpointedLog, reel: ReelId, { seq, hash }: ChainLink): Promise<JsonObject> {
  const leaf = leafOf({ reel, seq, hash: Buffer.from(hash, 'hex') })
  const ends = await log.ends()
  const end = ends.endOf(reel)
  if (end?.seq === seq && end.hash.toString('hex') === hash) {
    const { index, path } = ends.prove(reel)
    return { kind: 'proof', in: 'heads', index, path: path.map((one) => one.toString('hex')), leaf }
  }
  const proof = await log.prove(reel, seq)
  if (proof?.seq !== seq) throw new Error(`the checkpoint does not hold ${seq} of ${reel}`)
  return { kind: 'proof', in: 'log', index: proof.index, path: [...proof.path], leaf }
}

/** Hashes of facts that a being's moments wrote or cite, other than by their bases; and the approvals whose yes they brought. */
async function citedByAsides(
  tx: Db,
  being: BeingName,
  scope: ExportScope,
): Promise<{ readonly hashes: readonly Digest[]; readonly approvals: readonly ReelId[] }> {
  const hashes = new Set<Digest>()
  const approvals = new Set<ReelId>()
  for await (const { record, open, noted } of readRecords(tx, scope)) {
    const refs = [
      readPath(record, ['facts']),
      readPath(noted, ['aside', 'said', 'facts']),
      readPath(noted, ['aside', 'did']),
      readPath(noted, ['aside', 'past', 'facts']),
    ]
    for (const ref of refs.flatMap((found) => (Array.isArray(found) ? found : [])))
      if (Array.isArray(ref) && ref[0] !== `being:${being}` && typeof ref[2] === 'string') hashes.add(ref[2])
    const cause = readPath(open, ['wake', 'cause'])
    if (typeof cause === 'string') hashes.add(cause)
    const brought = approvalOf(readPath(open, ['wake']) as unknown as Pick<Wake, 'kind' | 'id'>)
    if (brought !== null) approvals.add(approvalReel(brought))
  }
  return { hashes: [...hashes], approvals: [...approvals] }
}

/**
 * Digests of the role specs that a moment wore, of the program that chose them, and of the manifests of the
 * code that showed and judged it.
 */
function* contentsOf({ record, open }: Pick<MomentLine, 'record' | 'open'>): Generator<Digest> {
  const stacked = readPath(record, ['stack', 'stacked'])
  const roles: Json[] = [
    readPath(record, ['stack', 'primary']) ?? null,
    ...(Array.isArray(stacked) ? stacked : []),
  ]
  for (const digest of roles.map((role) => (isJsonObject(role) ? role.digest : null)))
    if (typeof digest === 'string') yield digest
  for (const digest of [readPath(open, ['program']), readPath(open, ['code']), readPath(record, ['code'])])
    if (typeof digest === 'string') yield digest
}
