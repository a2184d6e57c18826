import { at, isArray, isObject, type Json, type JsonObject, same } from '../canonical.ts'
import { factHash, genesisHash, isHash, isIncluded, momentHash, saltedHash, valueHash } from '../hash.ts'
import { readCheckpoint, type SignedCheckpoint, type VerifierKey } from '../signature.ts'
import { type Broken, readLines } from './lines.ts'
import { citedBy, faultsOfMoment, goneFrom, type Moment } from './moment.ts'

/** Something that is not in a bundle, and that its fact or record holds the digest of. */
export interface Erased {
  /** of the fact, or `moments:<being>` */
  readonly reel: string
  readonly seq: number
  readonly what: 'payload' | 'decision' | 'effect'
  /** who erased it, as its tombstone says; null where the tombstone is on a reel that is not in the bundle */
  readonly by: string | null
}

/** What the check of a bundle found. */
export interface Verified {
  readonly reels: number
  readonly facts: number
  readonly moments: number
  readonly ok: boolean
  /** in the order of the lines */
  readonly broken: readonly Broken[]
  /** null for a bundle without one */
  readonly checkpoint: SignedCheckpoint | null
  /** links of chains that the checkpoint covers; null without a checkpoint */
  readonly covered: number | null
  /** what was erased */
  readonly erased: readonly Erased[]
  /** in words, what this bundle does not prove */
  readonly unproven: readonly string[]
}

type Link = readonly [seq: number, hash: string]
/** A chain of facts, or of a being's moments. */
interface Chain {
  readonly line: number
  readonly from: number
  /** its last link, as its head says */
  readonly end: Link
  /** its last link so far */
  last: Link
  /** the last link that the checkpoint holds */
  covered: number
}

type Place = Pick<Broken, 'line' | 'reel' | 'seq'>

/** The kinds of lines in their order, each with its fields, sorted. Another field would be something that nobody checks. */
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
const KINDS = Object.keys(FIELDS)
const END = KINDS.length - 1
const HEADER = 'actor at cause code driver kind moment payloadHash reel seq stack v'
const fieldsOf = (value: unknown): string => (isObject(value) ? Object.keys(value).sort().join(' ') : '')

/** Checks one bundle, line by line. */
class Check {
  readonly #broken: Broken[] = []
  readonly #key: VerifierKey | null
  readonly #chains = new Map<string, Chain>()
  /** by reel and number, of facts and moments */
  readonly #hashes = new Map<string, Map<number, string>>()
  /** facts of reels that are not in the bundle as a whole, by hash, until a moment names them */
  readonly #unnamed = new Map<string, Place>()
  /** how many facts name each moment */
  readonly #wrote = new Map<string, number>()
  /** what is not here: `name` is what its tombstone calls it */
  readonly #gone: { place: Place; what: Erased['what']; name: string }[] = []
  /** who erased something: by the reel of the tombstone, and the hash of a fact or the id of a moment */
  readonly #tombs = new Map<string, string>()
  /** digests of contents that moments name, each with the line of the first, until the content is read */
  readonly #wanted = new Map<string, number>()
  readonly #counts: Record<string, number> = {}
  #at: Place = { line: 0, reel: 'bundle', seq: 0 }
  #reality = ''
  #being: string | null = null
  #stage = 0
  #checkpoint: SignedCheckpoint | null = null

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
      const isDue = this.#wanted.delete(String(digest))
      this.#need(isDue, 'blob-mismatch', 'no moment names this content, or it is in the bundle twice')
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
    const isFirst = isHead && !this.#chains.has(String(reel))
    if (!this.#need(isFirst, 'head-mismatch', 'this is not a head, or the second one of its chain')) return
    const begins = from === 0 ? prev === genesisHash(this.#reality, String(reel)) : this.#being !== null
    this.#need(begins, 'prev-mismatch', 'this chain does not begin where the reality and its name say')
    const last: Link = [Number(from), String(prev)]
    const end: Link = [Number(seq), String(hash)]
    this.#chains.set(String(reel), { line: this.#at.line, from: last[0], last, end, covered: 0 })
  }

  #hashAt = (reel: string, seq: unknown): string | undefined => this.#hashes.get(reel)?.get(Number(seq))

  /** Adds a fact or a moment to its chain. @returns whether it has one in the bundle */
  #link(reel: string, seq: number, prev: Json | undefined, hash: string): boolean {
    const known = this.#hashes.get(reel) ?? new Map<number, string>()
    const chain = this.#chains.get(reel)
    if (this.#need(!known.has(seq), 'seq-gap', 'this link of its chain is in the bundle twice')) {
      this.#hashes.set(reel, known.set(seq, hash))
      const [before, hashBefore] = chain?.last ?? [seq - 1, prev]
      if (this.#need(seq === before + 1, 'seq-gap', `link ${before + 1} of this chain is due here`))
        this.#need(prev === hashBefore, 'prev-mismatch', 'it does not follow the link before it')
      if (chain !== undefined) chain.last = [seq, hash]
    }
    return chain !== undefined
  }

  #fact({ reel, seq, prev, hash, header = null, payload = null, salt }: JsonObject): void {
    this.#at = { ...this.#at, reel: String(reel), seq: Number(seq) }
    const isHashed = isHash(hash) && isHash(prev) && factHash(prev, header) === hash
    this.#need(isHashed, 'hash-mismatch', 'its hash is not that of its header and the link before it')
    const isOfPlace = at(header, 'reel') === reel && at(header, 'seq') === seq && at(header, 'v') === 1
    const isHeader = fieldsOf(header) === HEADER && isOfPlace
    this.#need(isHeader, 'header-mismatch', 'its header is of another place, or has other fields')
    const isGone = salt === null && payload === null
    if (isGone) this.#gone.push({ place: this.#at, what: 'payload', name: `${reel} ${hash}` })
    const isSaid = isGone || (isHash(salt) && saltedHash(salt, payload) === at(header, 'payloadHash'))
    this.#need(isSaid, 'payload-mismatch', 'its payload is not the one whose digest its header holds')
    const { kind, actor, moment } = isObject(header) ? header : {}
    const [by, named] = [at(payload, 'onBehalfOf') ?? actor, at(payload, 'hash') ?? at(payload, 'moment')]
    if (kind === 'fact:erased' || kind === 'moment:erased') this.#tombs.set(`${reel} ${named}`, String(by))
    if (typeof moment === 'string') this.#wrote.set(moment, (this.#wrote.get(moment) ?? 0) + 1)
    if (this.#link(String(reel), Number(seq), prev, String(hash))) return
    this.#need(this.#being !== null, 'head-mismatch', 'this reel has no head in the bundle')
    this.#unnamed.set(String(hash), this.#at)
  }

  /** Whether a record may cite this hash: it is not that of another fact in the bundle. */
  #cites(ref: unknown, mustBeHere: boolean): boolean {
    const [reel, seq, hash] = isArray(ref) ? ref : []
    if (seq === 0) return hash === genesisHash(this.#reality, String(reel))
    const found = this.#hashAt(String(reel), seq)
    if (found === undefined) return !mustBeHere && isHash(hash)
    if (found === hash) this.#unnamed.delete(found)
    return found === hash
  }

  #moment({ being, n, prev, hash, record, ...rest }: JsonObject): void {
    const reel = `moments:${being}`
    this.#at = { ...this.#at, reel, seq: Number(n) }
    const isHashed = isHash(hash) && isHash(prev) && momentHash(prev, record ?? null) === hash
    const isOfPlace = at(record, 'being') === being && at(record, 'n') === n
    this.#need(isHashed, 'hash-mismatch', 'its hash is not that of its record and the moment before it')
    this.#need(isOfPlace, 'header-mismatch', 'its record is of another moment')
    const isLinked = this.#link(reel, Number(n), prev, String(hash))
    this.#need(isLinked, 'head-mismatch', 'the moments of this being have no head in the bundle')
    if (!isObject(record)) return
    const moment = { record, ...rest } as Moment
    const name = String(record.moment)
    for (const [reason, what] of faultsOfMoment(moment)) this.#need(false, reason, what)
    for (const what of goneFrom(moment))
      this.#gone.push({ place: this.#at, what, name: `being:${being} ${name}` })
    const { facts, cited, cause, digests } = citedBy(moment)
    const isWritten =
      facts.every((ref) => this.#cites(ref, true)) && facts.length === (this.#wrote.get(name) ?? 0)
    this.#need(isWritten, 'facts-mismatch', 'it names other facts than those that name it')
    this.#wrote.delete(name)
    const isSeen = cited.every((ref) => this.#cites(ref, this.#being === null))
    this.#need(isSeen, 'basis-mismatch', 'it cites facts that are not those in the bundle')
    this.#unnamed.delete(String(cause))
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
    this.#need(chain?.covered === 0, 'proof-mismatch', 'it is the second proof of its chain, or of none')
    if (chain !== undefined) chain.covered = Number(seq)
    const isAnchored = this.#counts.checkpoint !== undefined
    this.#need(isAnchored, 'proof-mismatch', 'it stands without a checkpoint')
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
    for (const [reel, { line, end, last }] of this.#chains) {
      const place = { line, reel, seq: last[0] }
      this.#need(same(last, end), 'head-mismatch', 'its chain does not end as its head says', place)
    }
    for (const place of this.#unnamed.values())
      this.#need(false, 'unnamed-fact', 'no moment in the bundle names this fact', place)
    for (const { place, what, name } of this.#gone) {
      const isTold = this.#tombs.has(name) || !this.#chains.has(place.reel)
      this.#need(isTold, `${what}-missing`, 'it is gone, and no tombstone says that it was erased', place)
    }
    for (const [digest, line] of this.#wanted) {
      const place = { line, reel: `blob:${digest}`, seq: 0 }
      this.#need(false, 'blob-mismatch', 'this content is not in the bundle', place)
    }
    for (const moment of this.#being === null ? this.#wrote.keys() : [])
      this.#need(false, 'facts-mismatch', `facts name ${moment}, which is not here or names others`)
    const chains = [...this.#chains.values()]
    const covered = chains.reduce((sum, chain) => sum + chain.covered, 0)
    const size = this.#checkpoint?.size ?? 0
    const isFull = this.#checkpoint === null || this.#being !== null || covered === size
    const cut = `it covers ${size} entries, ${covered} are here: a chain is gone or cut`
    this.#need(isFull, 'checkpoint-mismatch', cut)
    return {
      reels: [...this.#chains.keys()].filter((reel) => !reel.startsWith('moments:')).length,
      facts: this.#counts.fact ?? 0,
      moments: this.#counts.moment ?? 0,
      ok: this.#broken.length === 0,
      broken: this.#broken.toSorted((a, b) => a.line - b.line),
      checkpoint: this.#checkpoint,
      covered: this.#checkpoint === null ? null : covered,
      erased: this.#gone.map(({ place: { reel, seq }, what, name }) => ({
        reel,
        seq,
        what,
        by: this.#tombs.get(name) ?? null,
      })),
      unproven: [...this.#unproven(chains)],
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
    if (this.#gone.length > 0)
      yield `${this.#gone.length} contents are not in it; facts and records hold their digests`
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
