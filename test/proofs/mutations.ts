/**
 * Changes to bundles and receipts, with all hashes computed again behind them, as somebody makes them who
 * knows the formats.
 */
import { createHash } from 'node:crypto'
import { canonicalJson, type Json } from '@treeos/core'
import type { Random } from '../faults/random.ts'

// biome-ignore lint/suspicious/noExplicitAny: it has any of the fields of what is changed
export type Part = Record<string, any>

const tagged = (tag: string, ...parts: (string | Uint8Array)[]): string => {
  const hash = createHash('sha256').update(`treeos.${tag}.v1\0`)
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
const hex = (text: unknown): Buffer => Buffer.from(String(text), 'hex')
const valueHash = (value: unknown): string => tagged('value', canonicalJson(value))
const saltedHash = (salt: unknown, value: unknown): string =>
  tagged('payload', hex(salt), canonicalJson(value))

const list = (value: unknown): Json[] => (Array.isArray(value) ? value : [])
const headHash = (salt: string, head: unknown): string => tagged('head', salt, canonicalJson(head))
/** The hash of a head, as a receipt has it: shown with its salt, or hidden. */
const memberHash = (member: Json): Json =>
  Array.isArray(member) ? headHash(String(member[3]), member.slice(0, 3)) : member

/** The digests of what a moment of a bundle or of a receipt read. */
function headsDigests({ basis, judged, basisSalt }: Part): { basis: string; judged: string | null } {
  if (basisSalt === undefined)
    return {
      basis: valueHash(list(basis).map(memberHash)),
      judged:
        judged === null
          ? null
          : valueHash(
              list(judged).map((entry) => [list(entry)[0] ?? null, memberHash(list(entry)[1] ?? null)]),
            ),
    }
  const hashOf = (head: Json) => headHash(tagged('head-salt', String(basisSalt), canonicalJson(head)), head)
  const places = new Map(list(basis).map((head, place) => [list(head)[0], place]))
  return {
    basis: valueHash(list(basis).map(hashOf)),
    judged:
      judged === null
        ? null
        : valueHash(list(judged).map((head) => [places.get(list(head)[0]) ?? null, hashOf(head)])),
  }
}

const HASHES = /"[0-9a-f]{64}"/g
const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
const PASSES_MAX = 12

/** Hashes that have to take the place of others wherever these stand. */
class Anew {
  readonly #of = new Map<string, string>()

  /** Puts the true hash into a field, and notes what it replaces. */
  put(part: Part, field: string, hash: string): void {
    const old = part[field]
    if (old === hash) return
    if (isHash(old)) this.#of.set(old, hash)
    part[field] = hash
  }

  /** @returns null where nothing has to be replaced */
  replaced<T>(value: T): T | null {
    if (this.#of.size === 0) return null
    let isSame = true
    const text = JSON.stringify(value).replace(HASHES, (quoted) => {
      const hash = this.#of.get(quoted.slice(1, -1))
      if (hash === undefined) return quoted
      isSame = false
      return `"${hash}"`
    })
    return isSame ? null : JSON.parse(text)
  }
}

/** Computes all digests in a moment again. @param facts with the headers that name its stack */
function mendMoment(moment: Part, anew: Anew): void {
  const { record, open, decision, salt, effect, basisSalt, noted = null } = moment
  if (typeof record !== 'object' || record === null || typeof open !== 'object' || open === null) return
  const digests = headsDigests(moment)
  anew.put(open, 'basis', digests.basis)
  if (noted !== null) open.noted = saltedHash(basisSalt, noted)
  anew.put(record, 'open', valueHash(open))
  if (decision !== null) anew.put(record, 'decision', saltedHash(salt, decision))
  if (record.judged !== undefined) record.judged = digests.judged
  if (effect !== null && record.effect)
    record.effect = {
      request: saltedHash(effect.salt, effect.request),
      result: effect.result === null ? null : saltedHash(effect.salt, effect.result),
    }
  record.stackDigest = record.stack === null ? null : valueHash(record.stack ?? null)
  const facts = (Array.isArray(record.facts) ? record.facts : []).map((ref: Json[]) => ref?.[2] ?? '')
  const act = { moment: record.moment, decision: record.decision ?? '', facts }
  record.act = record.outcome === 'act' ? tagged('act', canonicalJson(act)) : null
  anew.put(moment, 'hash', tagged('moment', hex(moment.prev), canonicalJson(record)))
}

/** Works on a value until nothing in it has to be replaced any more. */
function mended<T>(value: T, work: (value: T, anew: Anew) => void): T {
  let now = value
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const anew = new Anew()
    work(now, anew)
    const next = anew.replaced(now)
    if (next === null) return now
    now = next
  }
  return now
}

/** The lines of a bundle with all hashes computed again. */
export const mendedBundle = (lines: Part[]): Part[] =>
  mended(lines, (all, anew) => {
    const chains = new Map<string, Part>()
    for (const line of all) {
      const reel = line.kind === 'moment' ? `moments:${line.being}` : line.reel
      const before = chains.get(reel)
      if (line.kind === 'fact' || line.kind === 'moment') {
        if (before !== undefined) line.prev = before.hash
        chains.set(reel, line)
      }
      if (line.kind === 'fact') mendFact(line, anew)
      if (line.kind === 'moment') mendMoment(line, anew)
      if (line.kind === 'blob') anew.put(line, 'digest', valueHash(line.content))
    }
    for (const line of all)
      if (line.kind === 'head' && chains.has(line.reel)) line.hash = chains.get(line.reel)!.hash
  })

function mendFact(fact: Part, anew: Anew): void {
  if (typeof fact.header !== 'object' || fact.header === null) return
  if (fact.payload !== null) anew.put(fact.header, 'payloadHash', saltedHash(fact.salt, fact.payload))
  anew.put(fact, 'hash', tagged('fact', hex(fact.prev), canonicalJson(fact.header)))
}

/** The statement of a receipt with all hashes computed again. */
export const mendedStatement = (statement: Part): Part =>
  mended(statement, ({ subject, predicate }, anew) => {
    const { moment, program, specs, surface, reels, reality } = predicate
    const { record, open } = moment
    for (const [i, pinned] of [record.stack?.primary, ...(record.stack?.stacked ?? [])].entries())
      if (pinned) anew.put(pinned, 'digest', valueHash(specs[i] ?? null))
    open.program = valueHash(program)
    record.surfaceDigest = valueHash(surface)
    for (const [reel, links] of Object.entries<Part[]>(reels)) {
      const head = mendReel(links, tagged('genesis', reality, '\0', reel), anew)
      for (const ref of [...list(moment.basis), ...list(moment.judged).map((entry) => list(entry)[1])])
        if (Array.isArray(ref) && ref[0] === reel) ref.splice(1, 2, ...head)
    }
    mendMoment({ ...moment }, anew)
    subject[0].digest.sha256 = tagged('moment', hex(moment.prev), canonicalJson(record))
  })

/** @returns the number and the hash of its last fact */
function mendReel(links: Part[], genesis: string, anew: Anew): [number, string] {
  let [seq, prev] = [0, genesis]
  for (const link of links) {
    if (!Array.isArray(link)) {
      ;[seq, prev] = [link.to, link.hash]
      continue
    }
    seq += 1
    const [header, salt, payload] = link
    if (payload !== null) anew.put(header, 'payloadHash', saltedHash(salt, payload))
    prev = tagged('fact', hex(prev), canonicalJson(header))
  }
  return [seq, prev]
}

const ODD: readonly Json[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  '',
  'x',
  '@ann',
  '/',
  '*',
  [],
  {},
  [null],
  { pattern: '*' },
]

/** Every place in a value that can be changed, as the object or list, the key, and the way there. */
function* placesIn(value: unknown, way = ''): Generator<[holder: Part, key: string, way: string]> {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    yield [value as Part, key, `${way}/${key}`]
    yield* placesIn((value as Part)[key], `${way}/${key}`)
  }
}

/**
 * Changes one place of a value: to something odd, to what stands elsewhere in it, or to nothing.
 * @returns what was changed
 */
export function changeOne(value: unknown, draw: Random): string {
  const places = [...placesIn(value)]
  if (places.length === 0) return 'nothing'
  const [holder, key, way] = draw.pick(places)
  const old = holder[key]
  const kind = draw.between(0, 5)
  if (kind === 0 && typeof old === 'number') holder[key] = old + draw.pick([-1, 1, 60])
  else if (kind <= 1) holder[key] = draw.pick(ODD)
  else if (kind <= 3) {
    const [other, at] = draw.pick(places.filter(([one, name]) => typeof one[name] === typeof old))
    holder[key] = structuredClone(other[at])
  } else if (Array.isArray(holder)) {
    if (kind === 4) holder.splice(Number(key), 1)
    else holder.push(structuredClone(old))
  } else if (kind === 4) delete holder[key]
  else holder[`${key}x`] = structuredClone(old)
  return `${way}: ${JSON.stringify(old)?.slice(0, 60)} to ${JSON.stringify((holder as Part)[key])?.slice(0, 60)}`
}
