/** Bundles and receipts as somebody changes them: a byte, a line, or a field, mostly with all hashes computed again. */
import type { Json } from '@treeos/core'
import { envelopeOf } from '@treeos/proofs'
import type { Random } from '../faults/random.ts'
import type { LogKey } from '../support/naive-log.ts'
import { linesOf, summed, textOf } from './bundle-lines.ts'
import { changeOne, mendedBundle, mendedStatement, type Part } from './mutations.ts'
import type { Question } from './second-opinion.ts'

/** What was changed, in words, and what a verifier is asked about. */
export interface ChangedAudit {
  readonly change: string
  readonly shown: Pick<Question, 'bundle' | 'receipt'>
}

/** The statement in the envelope of a receipt. */
export const statementIn = (receipt: string): Part =>
  JSON.parse(Buffer.from(JSON.parse(receipt).payload, 'base64').toString())

/** @throws {Error} for a statement that is not JSON any more */
export const enveloped = (statement: Part, key: LogKey): string =>
  JSON.stringify(envelopeOf(statement as Json, key))

export const partsOf = (bundle: Buffer): Part[] => linesOf(bundle).map((line) => JSON.parse(line))

/** A bundle of these lines. Their fields may stand in any order, and numbers, counts and sums are made anew. */
export const bundleOfParts = (parts: readonly Part[]): Buffer =>
  summed(parts.map((part) => JSON.stringify(sorted(part))))

const sorted = (part: Part): Part =>
  Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))

const ofBytes = 'a byte, or lines'

export function changedBundle(bundle: Buffer, draw: Random): ChangedAudit {
  const kind = draw.between(0, 9)
  const of = (shown: Buffer, change = ofBytes) => ({ change, shown: { bundle: shown } })
  try {
    if (kind === 0) return of(changedBytes(bundle, draw))
    const lines = linesOf(bundle)
    if (kind === 1) return of(textOf(moved(lines, draw)))
    if (kind <= 3) return of(summed(moved(lines, draw)))
    const parts = partsOf(bundle)
    const change = changeOne(draw.pick(parts), draw)
    return of(bundleOfParts(kind > 5 ? mendedBundle(parts) : parts), change)
  } catch {
    return of(changedBytes(bundle, draw)) // it has no lines that could be summed
  }
}

export function changedReceipt(receipt: string, key: LogKey, draw: Random): ChangedAudit {
  if (draw.chance(0.1))
    return { change: ofBytes, shown: { receipt: changedBytes(Buffer.from(receipt), draw).toString() } }
  const statement = statementIn(receipt)
  const part = draw.chance(0.7) ? draw.pick(Object.keys(statement.predicate)) : null
  const change = `${part}${changeOne(part === null ? statement : statement.predicate[part], draw)}`
  try {
    const forged = draw.chance(0.8) ? mendedStatement(statement) : statement
    return { change, shown: { receipt: enveloped(forged, key) } }
  } catch {
    return changedReceipt(receipt, key, draw) // what was changed has no hashes
  }
}

function changedBytes(bytes: Buffer, draw: Random): Buffer {
  const copy = Buffer.from(bytes)
  const place = draw.between(0, copy.length - 1)
  copy[place] = draw.chance(0.5) ? copy[place]! ^ (1 << draw.between(0, 7)) : draw.between(32, 126)
  return copy
}

/** A line out, twice, or at another place, with true numbers and sums again. */
function moved(lines: string[], draw: Random): string[] {
  const copy = [...lines]
  const [from, to] = [draw.between(0, lines.length - 1), draw.between(0, lines.length - 1)]
  const [line = ''] = copy.splice(from, draw.between(0, 1))
  if (draw.chance(0.6)) copy.splice(to, 0, line === '' ? lines[from]! : line)
  return copy
}
