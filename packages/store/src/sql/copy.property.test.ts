import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CopiedRows } from './copy.ts'

type Fields = readonly (Buffer | null)[]

const int = (bytes: 2 | 4, value: number) => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeIntBE(value, 0, bytes)
  return buffer
}
const begun = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), int(4, 0), int(4, 0)])
const encoded = (fields: Fields) =>
  Buffer.concat([
    int(2, fields.length),
    ...fields.flatMap((field) => (field === null ? [int(4, -1)] : [int(4, field.length), field])),
  ])
const ended = int(2, -1)

/** All fields as they are read. */
function read(messages: readonly Buffer[]): Fields[] {
  const rows = new CopiedRows()
  const all: Fields[] = []
  for (const message of messages)
    rows.read(message, (row) => {
      all.push(
        Array.from({ length: row.length }, (_, i) => (row.isNull(i) ? null : Buffer.from(row.bytes(i)))),
      )
    })
  rows.end()
  return all
}

const field = fc.option(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)))
const table = fc.array(fc.array(field, { maxLength: 6 }), { maxLength: 12 })

it('rows are the same however many of them a message holds', () => {
  fc.assert(
    fc.property(table, fc.array(fc.boolean()), (tuples, isCut) => {
      const messages = [begun]
      for (const [i, part] of [...tuples.map(encoded), ended].entries())
        if (isCut[i] === true) messages.push(part)
        else messages.push(Buffer.concat([messages.pop() ?? begun, part]))
      expect(read(messages)).toEqual(tuples)
    }),
  )
})

it('a copy that ends before its end mark is not a copy', () => {
  const bytes = Buffer.concat([begun, encoded([Buffer.from('xyz'), null]), ended])
  expect(read([bytes])).toEqual([[Buffer.from('xyz'), null]])
  for (let length = 0; length < bytes.length; length++)
    expect(() => read([bytes.subarray(0, length)]), `${length}`).toThrow()
})

it('a field equals only its own bytes', () => {
  fc.assert(
    fc.property(field, fc.uint8Array({ maxLength: 40 }), (own, other) => {
      new CopiedRows().read(Buffer.concat([begun, encoded([own])]), (row) => {
        expect(row.equals(0, other)).toBe(own?.equals(other) ?? false)
        if (own !== null) expect(row.equals(0, own)).toBe(true)
      })
    }),
  )
})

it('a bigint is read as it was written', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64BE(BigInt(value))
      new CopiedRows().read(Buffer.concat([begun, encoded([bytes])]), (row) =>
        expect(row.bigint(0)).toBe(value),
      )
    }),
  )
})
