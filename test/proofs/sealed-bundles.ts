/** Bundles that somebody wrote anew who has the key of the log, too: all hashes, proofs and signatures are true. */
import type { JsonObject } from '@treeos/core'
import { genesisHash } from '@treeos/store'
import { type Entry, type LogKey, naiveLogOf, newLogKey } from '../support/naive-log.ts'
import { bundleOf } from './generated-reality.ts'
import type { Part } from './mutations.ts'

/** The key of the log of a bundle without proofs. */
export const keyOf = (lines: readonly JsonObject[]): LogKey =>
  newLogKey({ id: String(lines[0]?.reality) }, new Uint8Array(32).fill(7))

const entryOf = ({ kind, reel, seq, being, n, hash }: Part): Entry => ({
  ...(kind === 'fact' ? { reel, seq } : { reel: `moments:${being}`, seq: n }),
  hash: Buffer.from(hash, 'hex'),
})

/**
 * A bundle of these lines, whose log holds all that is in the lines of the whole.
 * @param whole left out: they are all that there is
 */
export async function sealedBundle(
  bundle: readonly Part[],
  whole: readonly Part[] = bundle,
): Promise<Buffer> {
  const lines = withEmptyChains(bundle)
  const entries = whole.filter(({ kind }) => kind === 'fact' || kind === 'moment').map(entryOf)
  const log = naiveLogOf(entries, keyOf(lines as JsonObject[]))
  const ends = await log.ends()
  const proofs = lines.flatMap(({ kind, reel, seq, hash }) => {
    if (kind !== 'head') return []
    const being = reel.startsWith('moments:') ? reel.slice('moments:'.length) : null
    const { index, path } = ends.prove(reel)
    const leaf = being === null ? { fact: [reel, seq, hash] } : { record: [being, seq, hash] }
    return [{ kind: 'proof', in: 'heads', index, path: path.map((one) => one.toString('hex')), leaf }]
  })
  return bundleOf([...lines, { kind: 'checkpoint', note: log.note }, ...proofs] as JsonObject[])
}

/** A being without moments has an empty chain of them. */
function withEmptyChains(lines: readonly Part[]): readonly Part[] {
  const reels = lines.flatMap(({ kind, reel }) => (kind === 'head' ? [String(reel)] : []))
  const empty = reels
    .filter((reel) => reel.startsWith('being:'))
    .map((reel) => reel.replace(/^being:/, 'moments:'))
    .filter((reel) => !reels.includes(reel))
    .map((reel) => {
      const hash = genesisHash(lines[0]?.reality, reel).toString('hex')
      return { kind: 'head', reel, from: 0, prev: hash, seq: 0, hash }
    })
  return [...lines.slice(0, 1), ...empty, ...lines.slice(1)]
}

const RECALLED = [['said', 'facts'], ['did'], ['past', 'facts']] as const

/** What an export of one being holds of the lines of the whole. */
export function linesOf(being: string, whole: readonly Part[]): Part[] {
  const moments = whole.filter((line) => line.kind === 'moment' && line.being === being)
  const cited = new Set<unknown>()
  const digests = new Set<unknown>()
  const brought = new Set<string>()
  for (const { record, open, noted } of moments) {
    cited.add(open.wake.cause)
    if (open.wake.id.startsWith('approved/')) brought.add(open.wake.id.replace('approved/', 'approval:'))
    const shown = RECALLED.flatMap(([field, list]) =>
      list === undefined ? (noted?.aside?.[field] ?? []) : (noted?.aside?.[field]?.[list] ?? []),
    )
    for (const [, , hash] of [...record.facts, ...shown]) cited.add(hash)
    for (const digest of [open.program, open.code, record.code]) digests.add(digest)
    for (const role of [record.stack?.primary, ...(record.stack?.stacked ?? [])]) digests.add(role?.digest)
  }
  const reels = [`being:${being}`, `moments:${being}`]
  const isYes = ({ reel, header }: Part) =>
    brought.has(reel) && ['approval:asked', 'approval:given'].includes(header.kind)
  const isHere = ({ kind, reel, hash, digest, ...line }: Part): boolean => {
    if (kind === 'head') return reels.includes(reel)
    if (kind === 'fact') return reel === `being:${being}` || cited.has(hash) || isYes({ reel, ...line })
    return kind === 'blob' ? digests.has(digest) : kind !== 'moment' || line.being === being
  }
  return whole
    .filter(isHere)
    .map((line) => (line.kind === 'manifest' ? { ...line, scope: { being, since: 1, until: null } } : line))
}
