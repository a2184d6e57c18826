import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bigintIn, type Tuple, TupleParser } from './copy.ts'

const int = (bytes: 2 | 4, value: number) => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeIntBE(value, 0, bytes)
  return buffer
}
const begun = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), int(4, 0), int(4, 0)])
const encoded = (tuples: readonly Tuple[]) =>
  Buffer.concat([
    begun,
    ...tuples.flatMap((fields) => [
      int(2, fields.length),
      ...fields.flatMap((field) => (field === null ? [int(4, -1)] : [int(4, field.length), field])),
    ]),
    int(2, -1),
  ])

const field = fc.option(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)))
const rows = fc.array(fc.array(field, { maxLength: 6 }), { maxLength: 12 })

it('rows are the same however their bytes are cut into chunks', () => {
  fc.assert(
    fc.property(rows, fc.array(fc.nat(), { maxLength: 20 }), (tuples, cuts) => {
      const bytes = encoded(tuples)
      const ends = [...new Set(cuts.map((cut) => cut % bytes.length)), bytes.length].sort((a, b) => a - b)
      const parser = new TupleParser()
      const read = ends.flatMap((end, i) => parser.take(Buffer.from(bytes.subarray(ends[i - 1] ?? 0, end))))
      parser.end()
      expect(read).toEqual(tuples)
    }),
  )
})

it('a copy that ends before its end mark is no copy', () => {
  const bytes = encoded([[Buffer.from('x')]])
  for (let length = 0; length < bytes.length; length++) {
    const parser = new TupleParser()
    parser.take(bytes.subarray(0, length))
    expect(() => parser.end(), `${length}`).toThrow(/ended too early/)
  }
})

it('a bigint is read as it was written', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64BE(BigInt(value))
      expect(bigintIn(bytes)).toBe(value)
    }),
  )
})
