import { at, isArray, isObject, type Json, type JsonObject, same } from '../canonical.ts'
import { factHash, genesisHash, isHash, isIncluded, momentHash, saltedHash, valueHash } from '../hash.ts'
import { type Checkpoint, readCheckpoint, type VerifierKey } from '../signature.ts'
import { type Broken, readLines } from './lines.ts'
import { faultsOfMoment, namedBy } from './moment.ts'

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

/** A chain of facts, or of a being's moments. `hashes[i]` is the hash of link `from + 1 + i`. */
interface Chain {
  readonly line: number
  readonly from: number
  readonly end: readonly [seq: number, hash: string]
  last: string
  covered: number
  readonly hashes: string[]
}

const KINDS = ['manifest', 'head', 'fact', 'moment', 'blob', 'checkpoint', 'proof', 'end']
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
  /** facts of reels that are not in the bundle as a whole, by `seq reel`: something must name their hash */
  readonly #single = new Map<
    string,
    { line: number; reel: string; seq: number; hash: string; named: boolean }
  >()
  /** how many facts name each moment */
  readonly #wrote = new Map<string, number>()
  readonly #erased: { reel: string; seq: number }[] = []
  readonly #blobs = new Set<string>()
  readonly #wanted = new Map<string, number>()
  readonly #causes = new Set<string>()
  readonly #counts: Record<string, number> = {}
  #at: { line: number; reel: string; seq: number } = { line: 0, reel: 'bundle', seq: 0 }
  #reality = ''
  #being: string | null = null
  #stage = 0
  #checkpoint: Checkpoint | null = null

  constructor(key: VerifierKey | null) {
    this.#key = key
  }

  readonly report = (fault: Broken): void => void this.#broken.push(fault)

  #fault(reason: string, what: string): void {
    this.report({ ...this.#at, reason, what })
  }

  take(line: number, value: JsonObject): void {
    const kind = String(value.kind)
    this.#at = { line, reel: 'bundle', seq: line }
    const stage = KINDS.indexOf(kind)
    if (FIELDS[kind] !== fieldsOf(value)) {
      this.#fault('line-mismatch', `a line ${kind} does not have these fields`)
      return
    }
    if (stage < this.#stage || (line === 1) !== (stage === 0))
      this.#fault('line-mismatch', `a line ${kind} stands after a line ${KINDS[this.#stage]}`)
    if (this.#stage === 7) this.#fault('end-mismatch', 'it stands after the end')
    this.#stage = stage
    if (kind === 'checkpoint' && this.#counts.checkpoint)
      this.#fault('line-mismatch', 'it is the second checkpoint')
    if (kind !== 'end') this.#counts[kind] = (this.#counts[kind] ?? 0) + 1
    this.#takes[kind]?.(value)
  }

  readonly #takes: Readonly<Record<string, (value: JsonObject) => void>> = {
    manifest: (value) => this.#manifest(value),
    head: (value) => this.#head(value),
    fact: (value) => this.#fact(value),
    moment: (value) => this.#moment(value),
    blob: (value) => this.#blob(value),
    checkpoint: (value) => this.#note(String(value.note)),
    proof: (value) => this.#proof(value),
    end: ({ counts }) => {
      if (same(counts, this.#counts)) return
      const [says, has] = [counts, this.#counts].map((value) => JSON.stringify(value))
      this.#fault('end-mismatch', `the bundle says that it has ${says} lines, and has ${has}`)
    },
  }

  #manifest({ format, reality, scope }: JsonObject): void {
    if (format !== 'treeos.bundle.v1')
      this.#fault('manifest-mismatch', `its format is ${format}, not treeos.bundle.v1`)
    this.#reality = String(reality)
    this.#being = isObject(scope) && typeof scope.being === 'string' ? scope.being : null
  }

  #head({ reel, from, seq, hash, prev }: JsonObject): void {
    this.#at = { ...this.#at, reel: String(reel), seq: Number(seq) }
    const origin = genesisHash(this.#reality, String(reel))
    if (
      !Number.isSafeInteger(from) ||
      !Number.isSafeInteger(seq) ||
      !isHash(hash) ||
      !isHash(prev) ||
      this.#chains.has(String(reel))
    ) {
      this.#fault('head-mismatch', 'this is no head, or the second one of its chain')
      return
    }
    if (from === 0 ? prev !== origin : this.#being === null) {
      this.#fault('prev-mismatch', 'this chain does not begin where the reality and its name say')
      return
    }
    this.#chains.set(String(reel), {
      line: this.#at.line,
      from: Number(from),
      end: [Number(seq), hash],
      last: prev,
      covered: 0,
      hashes: [],
    })
  }

  /** Adds a link to its chain. @returns whether it is the next one */
  #link(chain: Chain, seq: Json | undefined, prev: Json | undefined, hash: string): void {
    const due = chain.from + chain.hashes.length + 1
    if (seq !== due) this.#fault('seq-gap', `link ${due} of this chain is due here`)
    else if (prev !== chain.last) this.#fault('prev-mismatch', 'it does not follow the link before it')
    chain.hashes.push(hash)
    chain.last = hash
  }

  #fact({ reel, seq, prev, hash, header, payload, salt }: JsonObject): void {
    this.#at = { ...this.#at, reel: String(reel), seq: Number(seq) }
    if (!isHash(hash) || !isHash(prev) || factHash(prev, header ?? null) !== hash)
      this.#fault('hash-mismatch', 'its hash is not that of its header and the link before it')
    if (
      fieldsOf(header) !== HEADER ||
      at(header, 'reel') !== reel ||
      at(header, 'seq') !== seq ||
      at(header, 'v') !== 1
    )
      this.#fault('header-mismatch', 'its header is of another place, or has other fields')
    if (salt === null && payload === null) this.#erased.push({ reel: String(reel), seq: Number(seq) })
    else if (!isHash(salt) || saltedHash(salt, payload ?? null) !== at(header, 'payloadHash'))
      this.#fault('payload-mismatch', 'its payload is not the one whose digest its header holds')
    const moment = at(header, 'moment')
    if (typeof moment === 'string') this.#wrote.set(moment, (this.#wrote.get(moment) ?? 0) + 1)
    const chain = this.#chains.get(String(reel))
    if (chain !== undefined) this.#link(chain, seq, prev, String(hash))
    else if (this.#being === null) this.#fault('head-mismatch', 'this reel has no head in the bundle')
    else {
      const key = `${seq} ${reel}`
      if (this.#single.has(key)) this.#fault('seq-gap', 'this fact is in the bundle twice')
      this.#single.set(key, { ...this.#at, hash: String(hash), named: false })
    }
  }

  /** Whether a record may cite this hash: it is not that of another fact in the bundle. */
  #cites(ref: unknown, mustBeHere: boolean): boolean {
    const [reel, seq, hash] = isArray(ref) ? ref : []
    if (seq === 0) return hash === genesisHash(this.#reality, String(reel))
    const single = this.#single.get(`${seq} ${reel}`)
    if (single !== undefined && single.hash === hash) single.named = true
    const found = single?.hash ?? this.#hashAt(String(reel), Number(seq))
    return found === undefined ? !mustBeHere && isHash(hash) : found === hash
  }

  #hashAt(reel: string, seq: number): string | undefined {
    const chain = this.#chains.get(reel)
    return chain?.hashes[seq - chain.from - 1]
  }

  #moment({ being, n, prev, hash, record, ...rest }: JsonObject): void {
    const reel = `moments:${being}`
    this.#at = { ...this.#at, reel, seq: Number(n) }
    const { open, basis, decision, salt, judged, effect } = rest
    const chain = this.#chains.get(reel)
    if (!isHash(hash) || !isHash(prev) || !isObject(record) || momentHash(prev, record) !== hash) {
      this.#fault('hash-mismatch', 'its hash is not that of its record and the moment before it')
      return
    }
    if (record.being !== being || record.n !== n)
      this.#fault('header-mismatch', 'its record is of another moment')
    if (chain === undefined)
      this.#fault('head-mismatch', 'the moments of this being have no head in the bundle')
    else this.#link(chain, n, prev, hash)
    if (record.effect === undefined && effect !== null)
      this.#fault('effect-mismatch', 'its record tells of no effect')
    for (const fault of faultsOfMoment({ record, open, basis, decision, salt, judged, effect }))
      this.#fault(fault[0], fault[1])
    const isWhole = this.#being === null
    const facts = isArray(record.facts) ? record.facts : []
    if (
      !facts.every((ref) => this.#cites(ref, true)) ||
      (this.#wrote.get(String(record.moment)) ?? 0) !== facts.length
    )
      this.#fault(
        'facts-mismatch',
        'the facts that its record names are not those in the bundle that name it',
      )
    this.#wrote.delete(String(record.moment))
    const aside = at(open, 'aside')
    const cited = [basis, judged, at(aside, 'said', 'facts'), at(aside, 'did')].flatMap((refs) =>
      isArray(refs) ? refs : [],
    )
    if (!cited.every((ref) => this.#cites(ref, isWhole)))
      this.#fault('basis-mismatch', 'it cites facts that are not those in the bundle')
    const cause = at(open, 'wake', 'cause')
    if (isHash(cause)) this.#causes.add(cause)
    for (const digest of namedBy(record, open))
      if (!this.#wanted.has(digest)) this.#wanted.set(digest, this.#at.line)
  }

  #blob({ digest, content }: JsonObject): void {
    if (valueHash(content ?? null) !== digest) this.#fault('blob-mismatch', 'its content has another digest')
    if (!this.#wanted.has(String(digest)))
      this.#fault('blob-mismatch', 'no moment in the bundle names this content')
    if (this.#blobs.has(String(digest))) this.#fault('blob-mismatch', 'this content is in the bundle twice')
    this.#blobs.add(String(digest))
  }

  #note(note: string): void {
    try {
      this.#checkpoint = readCheckpoint(note, this.#key)
      if (this.#checkpoint.origin !== `treeos/${this.#reality}`)
        this.#fault(
          'checkpoint-mismatch',
          `it is a checkpoint of ${this.#checkpoint.origin}, not of this reality`,
        )
    } catch (error) {
      this.#fault('checkpoint-mismatch', (error as Error).message)
    }
  }

  #proof({ leaf, index, path }: JsonObject): void {
    const [kind, ref] = isObject(leaf) ? (Object.entries(leaf)[0] ?? []) : []
    const [name, seq, hash] = isArray(ref) ? ref : []
    const reel = kind === 'record' ? `moments:${name}` : String(name)
    this.#at = { ...this.#at, reel, seq: Number(seq) }
    const chain = this.#chains.get(reel)
    if (fieldsOf(leaf) !== kind || chain === undefined || this.#hashAt(reel, Number(seq)) !== hash) {
      this.#fault('proof-mismatch', 'it is a proof of something that is not in the bundle')
      return
    }
    if (chain.covered > 0) this.#fault('proof-mismatch', 'it is the second proof of its chain')
    chain.covered = Number(seq)
    if (this.#checkpoint === null) {
      if (!this.#counts.checkpoint) this.#fault('proof-mismatch', 'it stands without a checkpoint')
      return
    }
    const { size, root } = this.#checkpoint
    if (!isIncluded(leaf ?? null, Number(index), (path ?? []) as string[], size, root))
      this.#fault('proof-mismatch', 'the tree of the checkpoint does not hold it')
  }

  end(line: number): Verified {
    this.#at = { line, reel: 'bundle', seq: line }
    if (this.#stage !== 7) this.#fault('end-mismatch', 'the bundle is cut off: its last line is missing')
    if (this.#key !== null && !this.#counts.checkpoint)
      this.#fault('checkpoint-mismatch', 'a key was given, and the bundle has no checkpoint')
    for (const [reel, { line, from, end, last, hashes }] of this.#chains) {
      const seq = from + hashes.length
      if (seq === end[0] && last === end[1]) continue
      this.report({
        line,
        reel,
        seq,
        reason: 'head-mismatch',
        what: `its chain in the bundle ends at ${seq}, with another hash or number than its head`,
      })
    }
    for (const { named, hash, ...place } of this.#single.values())
      if (!named && !this.#causes.has(hash))
        this.report({ ...place, reason: 'unnamed-fact', what: 'no moment in the bundle names this fact' })
    for (const [digest, line] of this.#wanted)
      if (!this.#blobs.has(digest))
        this.report({
          line,
          reel: `blob:${digest}`,
          seq: 0,
          reason: 'blob-mismatch',
          what: 'this moment names content that is not in the bundle',
        })
    if (this.#being === null)
      for (const [moment, count] of this.#wrote)
        this.#fault(
          'facts-mismatch',
          `${count} facts name the moment ${moment}, which is not in the bundle or names others`,
        )
    const covered = [...this.#chains.values()].reduce((sum, chain) => sum + chain.covered, 0)
    const size = this.#checkpoint?.size ?? 0
    if (this.#checkpoint !== null && this.#being === null && covered !== size)
      this.#fault(
        'checkpoint-mismatch',
        `the checkpoint covers ${size} facts and moments, and ${covered} of them are proven: a chain is missing or cut`,
      )
    return this.#verified(covered)
  }

  #verified(covered: number): Verified {
    const chains = [...this.#chains]
    const isOfMoments = (reel: string) => reel.startsWith('moments:')
    return {
      reels: chains.filter(([reel]) => !isOfMoments(reel)).length,
      facts: this.#counts.fact ?? 0,
      moments: this.#counts.moment ?? 0,
      ok: this.#broken.length === 0,
      broken: this.#broken.toSorted((a, b) => a.line - b.line),
      checkpoint: this.#checkpoint,
      covered: this.#checkpoint === null ? null : covered,
      erased: this.#erased,
      unproven: [...this.#unproven(chains.map(([, chain]) => chain))],
    }
  }

  *#unproven(chains: readonly Chain[]): Generator<string> {
    if (this.#checkpoint === null)
      yield 'it has no checkpoint: the chains fit together, but whoever made the bundle could have made all of it, or left the end off'
    else if (this.#key === null) yield 'no key was given: who signed the checkpoint was not checked'
    const late = chains.filter(({ covered, end }) => this.#checkpoint !== null && covered < end[0])
    if (late.length > 0) {
      const links = late.reduce((sum, { covered, from, end }) => sum + end[0] - Math.max(covered, from), 0)
      yield `${links} facts and moments are younger than the checkpoint, which says nothing of them`
    }
    if (this.#being !== null)
      yield `it is of @${this.#being} alone: of other beings it holds only facts that these moments wrote or cite`
    if (chains.some(({ from }) => from > 0))
      yield 'it begins in the middle: nothing is said of earlier moments'
    if (this.#erased.length > 0)
      yield `${this.#erased.length} payloads are not in it; their digests are in the facts`
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
