import { expect, it } from 'vitest'
import { textOfBytes } from './text-bytes.ts'

const TEXT = '{"a":"é😀"}'
const little = Buffer.from(`\ufeff${TEXT}`, 'utf16le')

it.each<[string, Buffer]>([
  ['UTF-8', Buffer.from(TEXT)],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${TEXT}`)],
  ['UTF-16', little],
  ['UTF-16, big end first', Buffer.from(little).swap16()],
])('reads %s', (_what, bytes) => {
  expect(textOfBytes(bytes)).toBe(TEXT)
})

it.each<[string, Buffer, string]>([
  ['Latin-1', Buffer.from('{"a":"é"}', 'latin1'), 'it is not UTF-8 text'],
  ['UTF-16 without a mark', Buffer.from(TEXT, 'utf16le'), 'it is not UTF-8 text'],
  ['a NUL', Buffer.from('a\0b'), 'it is not UTF-8 text'],
  ['UTF-16 that is cut', little.subarray(0, -1), 'it is not UTF-16 text'],
])('refuses %s', (_what, bytes, message) => {
  expect(() => textOfBytes(bytes)).toThrow(message)
})
