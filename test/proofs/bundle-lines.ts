/** Bundles as lines of text, for tests that change them. */
import { createHash } from 'node:crypto'
import { type BundleOptions, type BundleReport, parseKey, verifyBundle } from '@treeos/verify'
import { actHash, factHash, momentHash, saltedHash, valueHash, wholeHeads } from '@treeos/verify/parts'

export async function* inOnePart(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** @param key verifier key; null: signatures are not checked */
export const verifyBytes = (
  bytes: Buffer,
  key: string | null,
  more: Pick<BundleOptions, 'strict' | 'beside'> = {},
): Promise<BundleReport> =>
  verifyBundle(inOnePart(bytes), { ...more, ...(key === null ? {} : { key: parseKey(key) }) })

export const linesOf = (bytes: Buffer): string[] => bytes.toString().split('\n').slice(0, -1)
export const textOf = (lines: readonly string[]): Buffer =>
  Buffer.from(lines.map((line) => `${line}\n`).join(''))

/** The lines with true numbers, counts and sums, as somebody who knows the format makes them. */
export function summed(lines: readonly string[]): Buffer {
  const counts: Record<string, number> = {}
  let sum = ''
  return textOf(
    lines.map((text, i) => {
      const { sum: _, ...value } = JSON.parse(text)
      if (value.kind === 'end') value.counts = Object.fromEntries(Object.entries(counts).sort())
      else counts[value.kind] = (counts[value.kind] ?? 0) + 1
      const body = JSON.stringify({ ...value, line: i + 1 }) // the fields are in order already
      sum = createHash('sha256').update(`treeos.line.v1\0${sum}\0${body}`).digest('hex')
      return `${body.slice(0, -1)},"sum":"${sum}"}`
    }),
  )
}

/** A line of a bundle. */
// biome-ignore lint/suspicious/noExplicitAny: it has any of the fields of all kinds of lines
export type Line = Record<string, any>

/**
 * Makes every hash and digest of a bundle again, as somebody does who writes it anew. It has no checkpoint
 * then.
 */
export function rehashed(bundle: readonly Line[]): Line[] {
  let lines = bundle.filter(({ kind }) => kind !== 'checkpoint' && kind !== 'proof')
  for (let turn = 0; turn < 50; turn++) {
    const renamed = hashOnce(lines)
    if (renamed.size === 0) return lines
    const text = JSON.stringify(lines).replace(/[0-9a-f]{64}/g, (hash) => renamed.get(hash) ?? hash)
    lines = JSON.parse(text)
  }
  throw new Error('the hashes do not settle')
}

/** @returns the hashes of facts and the digests of contents that have changed */
function hashOnce(lines: readonly Line[]): Map<string, string> {
  const renamed = new Map<string, string>()
  const heads = new Map(lines.flatMap((line) => (line.kind === 'head' ? [[line.reel, line]] : [])))
  const last = new Map([...heads].map(([reel, { prev }]) => [reel, prev as string]))
  for (const line of lines) {
    if (line.kind === 'blob' && valueHash(line.content) !== line.digest)
      renamed.set(line.digest, valueHash(line.content))
    if (line.kind !== 'fact' && line.kind !== 'moment') continue
    const reel = line.kind === 'fact' ? line.reel : `moments:${line.being}`
    line.prev = last.get(reel) ?? line.prev
    if (line.kind === 'moment') digestMoment(line)
    const hash = line.kind === 'fact' ? factHash(line.prev, line.header) : momentHash(line.prev, line.record)
    if (line.kind === 'fact' && hash !== line.hash) renamed.set(line.hash, hash)
    line.hash = hash
    if (heads.has(reel)) last.set(reel, hash)
  }
  for (const [reel, head] of heads) head.hash = last.get(reel)
  return renamed
}

function digestMoment({ record, open, basis, judged, basisSalt, noted }: Line): void {
  const { digests } = wholeHeads({ basis, judged, salt: basisSalt })!
  open.basis = digests.basis
  if (noted !== null) open.noted = saltedHash(basisSalt, noted)
  record.open = valueHash(open)
  record.stackDigest = record.stack === null ? null : valueHash(record.stack)
  if (judged !== null) record.judged = digests.judged
  const facts = record.facts.map(([, , hash]: string[]) => hash)
  const act = { moment: record.moment, decision: record.decision ?? '', facts }
  if (record.outcome === 'act') record.act = actHash(act)
}
