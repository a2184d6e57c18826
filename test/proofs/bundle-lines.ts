/** Bundles as lines of text, for tests that change them. */
import { createHash } from 'node:crypto'
import { parseKey, type Verified, verifyBundle } from '@treeos/verify'

/** @param key verifier key; null: signatures are not checked */
export const verifyBytes = (bytes: Buffer, key: string | null): Promise<Verified> =>
  verifyBundle(
    (async function* () {
      yield bytes
    })(),
    key === null ? {} : { key: parseKey(key) },
  )

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
