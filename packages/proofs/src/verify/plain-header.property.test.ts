import { canonicalJson, FACT_VERSION } from '@treeos/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isPlainHeaderOf } from './plain-header.ts'
import type { FactRow } from './read.ts'

const plain = fc.string({ unit: fc.constantFrom(...'abz09 :/$@-_.{}[],') })
const odd = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\u0001', '\n', '\u007f', 'é', '😀') })
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes))

/** A row whose header is the canonical one of its columns. */
const rowOf = (text: fc.Arbitrary<string>) => {
  const maybe = fc.option(text)
  const said = { actor: text, cause: maybe, code: text, driver: maybe, stack: maybe, at: fc.nat(1e12) }
  const columns = { kind: text, moment: maybe, reel: text, seq: fc.integer({ min: 1, max: 2 ** 40 }) }
  return fc.record({ ...said, ...columns, hash }).map(({ hash, ...rest }) => {
    const { kind, moment, reel, seq } = rest
    const header = canonicalJson({ ...rest, payloadHash: hash.toString('hex'), v: FACT_VERSION })
    return { reel, seq, kind, moment, payload_hash: hash, header: Buffer.from(header) } as FactRow
  })
}

/** The slow way to the same answer. */
function isCanonical({ header, reel, seq, kind, moment, payload_hash }: FactRow): boolean {
  try {
    const { actor, driver, cause, at, stack, code } = JSON.parse(header.toString('utf8'))
    const texts = [actor, code, driver ?? '', cause ?? '', stack ?? '']
    if (!Number.isSafeInteger(at) || texts.some((text) => typeof text !== 'string')) return false
    const own = { reel, seq, kind, moment, payloadHash: payload_hash.toString('hex'), v: FACT_VERSION }
    return header.equals(Buffer.from(canonicalJson({ ...own, actor, driver, cause, at, stack, code })))
  } catch {
    return false
  }
}

it('a canonical header without escapes is plain', () => {
  fc.assert(fc.property(rowOf(plain), isPlainHeaderOf))
})

it('what is plain is canonical, whatever was changed in header or columns', () => {
  const byte = fc.constantFrom(...Buffer.from('"\\{}:,0aé\n\u0001'))
  const change = fc.record({ at: fc.nat(), gone: fc.nat(2), put: fc.array(byte, { maxLength: 2 }) })
  let [plains, others] = [0, 0]
  fc.assert(
    fc.property(fc.oneof(rowOf(plain), rowOf(odd)), change, fc.nat(5), (row, { at, gone, put }, which) => {
      const from = at % (row.header.length + 1)
      const header = Buffer.concat([
        row.header.subarray(0, from),
        Buffer.from(put),
        row.header.subarray(from + gone),
      ])
      const changed = [
        { ...row, header },
        { ...row, header },
        { ...row, kind: `${row.kind}x` },
        { ...row, moment: row.moment === null ? 'null' : null },
        { ...row, seq: row.seq + 1 },
        { ...row, payload_hash: Buffer.alloc(32) },
      ][which] as FactRow
      if (isPlainHeaderOf(changed)) {
        plains += 1
        expect(isCanonical(changed)).toBe(true)
      } else others += 1
    }),
    { numRuns: 3000 },
  )
  expect(plains).toBeGreaterThan(20) // changes within a value, and those that change nothing
  expect(others).toBeGreaterThan(1000)
})
