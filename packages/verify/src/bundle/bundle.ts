import { at, isArray, isObject, type Json, type JsonObject, same } from '../canonical.ts'
import { factHash, genesisHash, isHash, isIncluded, momentHash, saltedHash, valueHash } from '../hash.ts'
import { type Checkpoint, readCheckpoint, type VerifierKey } from '../signature.ts'
import { type Broken, readLines } from './lines.ts'
import { citedBy, faultsOfMoment, type Moment } from './moment.ts'

/** What the check of a bundle found. */
export interface Verified {
  readonly reels: number
  readonly facts: number
  readonly moments: number
  readonly ok: boolean
  /** in the order of the lines */
  readonly broken: readonly Broken[]
  /** null for a bundle without one */
  readonly checkpoint: Checkpoint | null
  /** links of chains that the checkpoint covers; null without a checkpoint */
  readonly covered: number | null
  /** facts whose payload is not in the bundle: it was erased */
  readonly erased: readonly { readonly reel: string; readonly seq: number }[]
  /** in words, what this bundle does not prove */
  readonly unproven: readonly string[]
}

/** A chain of facts, or of a being's moments. `hashes[i]` is the hash after link `from + i`. */
interface Chain {
  readonly line: number
  readonly from: number
  readonly end: readonly [seq: number, hash: string]
  /** the last link that the checkpoint holds */
  covered: number
  readonly hashes: string[]
}

type Place = Pick<Broken, 'line' | 'reel' | 'seq'>

const KINDS = ['manifest', 'head', 'fact', 'moment', 'blob', 'checkpoint', 'proof', 'end']
const END = KINDS.length - 1
/** The fields of each kind of line, sorted. Another field would be something that nobody checks. */
const FIELDS: Readonly<Record<string, string>> = {
  manifest: 'at format kind line reality scope sum',
  head: 'from hash kind line prev reel seq sum',
  fact: 'hash header kind line payload prev reel salt seq sum',
  moment: 'basis being decision effect hash judged kind line n open prev record salt sum',
  blob: 'content digest kind line sum',
  checkpoint: 'kind line note sum',
  proof: 'index kind leaf line path sum',
  end: 'counts kind line sum',
}
const HEADER = 'actor at cause code driver kind moment payloadHash reel seq stack v'
const fieldsOf = (value: unknown): string => (isObject(value) ? Object.keys(value).sort().join(' ') : '')

/** Checks one bundle, line by line. */
class Check {
  readonly #broken: Broken[] = []
  readonly #key: VerifierKey | null
  readonly #chains = new Map<string, Chain>()
  /** facts of reels that are not in the bundle as a whole, by `seq reel`: a moment must name their hash */
  readonly #single = new Map<string, { at: Place; hash: string; named: boolean }>()
  /** how many facts name each moment */
  readonly #wrote = new Map<string, number>()
  /** what is not here, each with the name that its tombstone has */
  readonly #erased: { place: Place; name: string }[] = []
  readonly #tombs = new Set<string>()
  readonly #blobs = new Set<string>()
  /** digests that moments name, each with the line of the first */
  readonly #wanted = new Map<string, number>()
  readonly #causes = new Set<string>()
  readonly #counts: Record<string, number> = {}
  #at: Place = { line: 0, reel: 'bundle', seq: 0 }
  #reality = ''
  #being: string | null = null
  #stage = 0
  #checkpoint: Checkpoint | null = null

  constructor(key: VerifierKey | null) {
    this.#key = key
  }

  readonly report = (fault: Broken): void => void this.#broken.push(fault)

  /** Reports a fault unless something holds. @returns whether it holds */
  #need(holds: boolean, reason: string, what: string, place = this.#at): boolean {
    if (!holds) this.report({ ...place, reason, what })
    return holds
  }

  take(line: number, value: JsonObject): void {
    const kind = String(value.kind)
    this.#at = { line, reel: 'bundle', seq: line }
    const stage = KINDS.indexOf(kind)
    const isKnown = FIELDS[kind] === fieldsOf(value)
    if (!this.#need(isKnown, 'line-mismatch', `a line ${kind} does not have these fields`)) return
    const isInOrder = stage >= this.#stage && (line === 1) === (stage === 0) && this.#stage < END
    this.#need(isInOrder, 'line-mismatch', `a line ${kind} stands after a line ${KINDS[this.#stage]}`)
    this.#stage = stage
    if (stage < END) this.#counts[kind] = (this.#counts[kind] ?? 0) + 1
    this.#takes[kind]?.(value)
  }

  readonly #takes: Readonly<Record<string, (value: JsonObject) => void>> = {
    manifest: ({ format, reality, scope }) => {
      this.#need(format === 'treeos.bundle.v1', 'manifest-mismatch', `its format is ${format}`)
      this.#reality = String(reality)
      const being = at(scope, 'being')
      this.#being = typeof being === 'string' ? being : null
    },
    head: (value) => this.#head(value),
    fact: (value) => this.#fact(value),
    moment: (value) => this.#moment(value),
    blob: ({ digest, content = null }) => {
      this.#need(valueHash(content) === digest, 'blob-mismatch', 'its content has another digest')
      const isDue = this.#wanted.has(String(digest)) && !this.#blobs.has(String(digest))
      this.#need(isDue, 'blob-mismatch', 'no moment names this content, or it is in the bundle twice')
      this.#blobs.add(String(digest))
    },
    checkpoint: ({ note }) => this.#note(String(note)),
    proof: (value) => this.#proof(value),
    end: ({ counts }) => {
      const [says, has] = [counts, this.#counts].map((value) => JSON.stringify(value))
      this.#need(same(counts, this.#counts), 'end-mismatch', `it tells of ${says}, and there are ${has}`)
    },
  }

  #head({ reel, from, seq, hash, prev }: JsonObject): void {
    this.#at = { ...this.#at, reel: String(reel), seq: Number(seq) }
    const isHead = Number.isSafeInteger(from) && Number.isSafeInteger(seq) && isHash(hash) && isHash(prev)
    const isFirst = !this.#chains.has(String(reel))
    if (!this.#need(isHead && isFirst, 'head-mismatch', 'this is no head, or the second one of its chain'))
      return
    const begins = from === 0 ? prev === genesisHash(this.#reality, String(reel)) : this.#being !== null
    this.#need(begins, 'prev-mismatch', 'this chain does not begin where the reality and its name say')
    const { line } = this.#at
    const end = [Number(seq), String(hash)] as const
    this.#chains.set(String(reel), { line, from: Number(from), end, covered: 0, hashes: [String(prev)] })
  }

  /** Adds a link to its chain. */
  #link(chain: Chain, seq: Json | undefined, prev: string, hash: string): void {
    const due = chain.from + chain.hashes.length
    if (this.#need(seq === due, 'seq-gap', `link ${due} of this chain is due here`))
      this.#need(prev === chain.hashes.at(-1), 'prev-mismatch', 'it does not follow the link before it')
    chain.hashes.push(hash)
  }

  #fact({ reel, seq, prev, hash, header = null, payload = null, salt }: JsonObject): void {
    this.#at = { ...this.#at, reel: String(reel), seq: Number(seq) }
    const isHashed = isHash(hash) && isHash(prev) && factHash(prev, header) === hash
    this.#need(isHashed, 'hash-mismatch', 'its hash is not that of its header and the link before it')
    const isOfPlace = at(header, 'reel') === reel && at(header, 'seq') === seq && at(header, 'v') === 1
    const isHeader = fieldsOf(header) === HEADER && isOfPlace
    this.#need(isHeader, 'header-mismatch', 'its header is of another place, or has other fields')
    const isErased = salt === null && payload === null
    if (isErased) this.#erased.push({ place: this.#at, name: `${seq} ${reel}` })
    const isSaid = isErased || (isHash(salt) && saltedHash(salt, payload) === at(header, 'payloadHash'))
    this.#need(isSaid, 'payload-mismatch', 'its payload is not the one whose digest its header holds')
    const kind = at(header, 'kind')
    if (kind === 'fact:erased') this.#tombs.add(`${at(payload, 'seq')} ${reel}`)
    if (kind === 'moment:erased') this.#tombs.add(String(at(payload, 'moment')))
    const moment = at(header, 'moment')
    if (typeof moment === 'string') this.#wrote.set(moment, (this.#wrote.get(moment) ?? 0) + 1)
    const chain = this.#chains.get(String(reel))
    if (chain !== undefined) {
      this.#link(chain, seq, String(prev), String(hash))
      return
    }
    this.#need(this.#being !== null, 'head-mismatch', 'this reel has no head in the bundle')
    this.#need(!this.#single.has(`${seq} ${reel}`), 'seq-gap', 'this fact is in the bundle twice')
    this.#single.set(`${seq} ${reel}`, { at: this.#at, hash: String(hash), named: false })
  }

  /** Whether a record may cite this hash: it is not that of another fact in the bundle. */
  #cites(ref: unknown, mustBeHere: boolean): boolean {
    const [reel, seq, hash] = isArray(ref) ? ref : []
    if (seq === 0) return hash === genesisHash(this.#reality, String(reel))
    const single = this.#single.get(`${seq} ${reel}`)
    if (single !== undefined && single.hash === hash) single.named = true
    const found = single?.hash ?? this.#hashAt(String(reel), seq)
    return found === undefined ? !mustBeHere && isHash(hash) : found === hash
  }

  #hashAt(reel: string, seq: Json | undefined): string | undefined {
    const chain = this.#chains.get(reel)
    const index = chain === undefined ? 0 : Number(seq) - chain.from
    return index > 0 ? chain?.hashes[index] : undefined
  }

  #moment({ being, n, prev, hash, record, ...rest }: JsonObject): void {
    const reel = `moments:${being}`
    this.#at = { ...this.#at, reel, seq: Number(n) }
    const isHashed = isHash(hash) && isHash(prev) && momentHash(prev, record ?? null) === hash
    const isOfPlace = at(record, 'being') === being && at(record, 'n') === n
    this.#need(isHashed, 'hash-mismatch', 'its hash is not that of its record and the moment before it')
    this.#need(isOfPlace, 'header-mismatch', 'its record is of another moment')
    const chain = this.#chains.get(reel)
    this.#need(chain !== undefined, 'head-mismatch', 'the moments of this being have no head in the bundle')
    if (chain !== undefined) this.#link(chain, n, String(prev), String(hash))
    if (!isObject(record)) return
    const isSilent = record.decision !== null && rest.decision === null && rest.salt === null
    const isErased = isSilent || (record.effect !== undefined && rest.effect === null)
    if (isErased) this.#erased.push({ place: this.#at, name: String(record.moment) })
    const isTold = record.effect !== undefined || rest.effect === null
    this.#need(isTold, 'effect-mismatch', 'its record tells of no effect')
    for (const [reason, what] of faultsOfMoment({ record, ...rest } as Moment))
      this.#need(false, reason, what)
    const { facts, cited, cause, digests } = citedBy({ record, ...rest } as Moment)
    const isWritten =
      facts.every((ref) => this.#cites(ref, true)) &&
      facts.length === (this.#wrote.get(String(record.moment)) ?? 0)
    this.#need(isWritten, 'facts-mismatch', 'it names other facts than those that name it')
    this.#wrote.delete(String(record.moment))
    const isSeen = cited.every((ref) => this.#cites(ref, this.#being === null))
    this.#need(isSeen, 'basis-mismatch', 'it cites facts that are not those in the bundle')
    if (isHash(cause)) this.#causes.add(cause)
    for (const digest of digests) this.#wanted.set(digest, this.#wanted.get(digest) ?? this.#at.line)
  }

  #note(note: string): void {
    try {
      const checkpoint = readCheckpoint(note, this.#key)
      const isOurs = checkpoint.origin === `treeos/${this.#reality}` && this.#counts.checkpoint === 1
      this.#need(isOurs, 'checkpoint-mismatch', `it is of ${checkpoint.origin}, or the second one`)
      this.#checkpoint = checkpoint
    } catch (error) {
      this.#need(false, 'checkpoint-mismatch', (error as Error).message)
    }
  }

  #proof({ leaf = null, index, path }: JsonObject): void {
    const [kind, ref] = isObject(leaf) ? (Object.entries(leaf)[0] ?? []) : []
    const [name, seq, hash] = isArray(ref) ? ref : []
    const reel = kind === 'record' ? `moments:${name}` : String(name)
    this.#at = { ...this.#at, reel, seq: Number(seq) }
    const chain = this.#chains.get(reel)
    const isHere = fieldsOf(leaf) === kind && hash !== undefined && this.#hashAt(reel, seq) === hash
    this.#need(isHere, 'proof-mismatch', 'it is a proof of something that is not in the bundle')
    this.#need(chain?.covered === 0, 'proof-mismatch', 'it is the second proof of its chain')
    if (chain !== undefined) chain.covered = Number(seq)
    if (!this.#need(Boolean(this.#counts.checkpoint), 'proof-mismatch', 'it stands without a checkpoint'))
      return
    if (this.#checkpoint === null) return // that is reported
    const { size, root } = this.#checkpoint
    const isIn = isArray(path) && isIncluded(leaf, Number(index), path as string[], size, root)
    this.#need(isIn, 'proof-mismatch', 'the tree of the checkpoint does not hold it')
  }

  end(line: number): Verified {
    this.#at = { line, reel: 'bundle', seq: line }
    this.#need(this.#stage === END, 'end-mismatch', 'the bundle is cut off: its last line is missing')
    const isAnchored = this.#key === null || this.#counts.checkpoint === 1
    this.#need(isAnchored, 'checkpoint-mismatch', 'a key was given, and the bundle has no checkpoint')
    for (const [reel, { line, from, end, hashes }] of this.#chains) {
      const seq = from + hashes.length - 1
      const isWhole = seq === end[0] && hashes.at(-1) === end[1]
      this.#need(isWhole, 'head-mismatch', 'its chain in the bundle does not end as its head says', {
        line,
        reel,
        seq,
      })
    }
    for (const { at, named, hash } of this.#single.values())
      this.#need(
        named || this.#causes.has(hash),
        'unnamed-fact',
        'no moment in the bundle names this fact',
        at,
      )
    for (const { place, name } of this.#erased) {
      const isTold = this.#tombs.has(name) || !this.#chains.has(place.reel)
      this.#need(isTold, 'payload-missing', 'no tombstone says that it was erased', place)
    }
    for (const [digest, line] of this.#wanted) {
      const place = { line, reel: `blob:${digest}`, seq: 0 }
      this.#need(this.#blobs.has(digest), 'blob-mismatch', 'this content is not in the bundle', place)
    }
    for (const moment of this.#being === null ? this.#wrote.keys() : [])
      this.#need(
        false,
        'facts-mismatch',
        `facts name the moment ${moment}, which is not here or names others`,
      )
    const covered = [...this.#chains.values()].reduce((sum, chain) => sum + chain.covered, 0)
    const size = this.#checkpoint?.size ?? 0
    const isFull = this.#checkpoint === null || this.#being !== null || covered === size
    this.#need(
      isFull,
      'checkpoint-mismatch',
      `it covers ${size} entries, ${covered} are here: a chain is gone or cut`,
    )
    return {
      reels: [...this.#chains.keys()].filter((reel) => !reel.startsWith('moments:')).length,
      facts: this.#counts.fact ?? 0,
      moments: this.#counts.moment ?? 0,
      ok: this.#broken.length === 0,
      broken: this.#broken.toSorted((a, b) => a.line - b.line),
      checkpoint: this.#checkpoint,
      covered: this.#checkpoint === null ? null : covered,
      erased: this.#erased.map(({ place: { reel, seq } }) => ({ reel, seq })),
      unproven: [...this.#unproven([...this.#chains.values()])],
    }
  }

  *#unproven(chains: readonly Chain[]): Generator<string> {
    if (this.#checkpoint === null)
      yield 'it has no checkpoint: whoever made the bundle could have made all of it up, or left its end off'
    else if (this.#key === null) yield 'no key was given: who signed the checkpoint was not checked'
    const links = chains.reduce((sum, { covered, from, end }) => sum + end[0] - Math.max(covered, from), 0)
    if (this.#checkpoint !== null && links > 0)
      yield `${links} facts and moments are younger than the checkpoint, which says nothing of them`
    if (this.#being !== null)
      yield `it is of @${this.#being} alone: of others it holds only facts that these moments wrote or cite`
    if (chains.some(({ from }) => from > 0))
      yield 'it begins in the middle: nothing is said of earlier moments'
    if (this.#erased.length > 0)
      yield `${this.#erased.length} contents are not in it; facts and records hold their digests`
  }
}

/**
 * Checks a bundle. It reads it once and holds a hash for each fact and moment.
 * @param source the bytes of the file
 * @param key of the log that signs the checkpoints; null: the signature is not checked
 */
export async function verifyBundle(
  source: AsyncIterable<Uint8Array>,
  key: VerifierKey | null = null,
): Promise<Verified> {
  const check = new Check(key)
  let last = 0
  for await (const { line, value } of readLines(source, check.report)) {
    last = line
    check.take(line, value)
  }
  return check.end(last)
}
