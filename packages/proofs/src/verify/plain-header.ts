import { FACT_VERSION } from '@treeos/core'
import type { FactRow } from './read.ts'

/**
 * Whether a stored header is the canonical JSON for the columns of its row and holds nothing but printable
 * ASCII without escapes, as most do. It is compared byte by byte, without a parser: each value stands there
 * as it is.
 * @returns false also for a header that another form of these columns may be
 */
export function isPlainHeaderOf(row: FactRow): boolean {
  const header = row.header
  let at = literal(header, 0, ACTOR)
  at = text(header, at)
  at = literal(header, at, AT)
  at = integer(header, at)
  at = literal(header, at, CAUSE)
  at = textOrNull(header, at)
  at = literal(header, at, CODE)
  at = text(header, at)
  at = literal(header, at, DRIVER)
  at = textOrNull(header, at)
  at = literal(header, at, KIND)
  at = value(header, at, row.kind)
  at = literal(header, at, MOMENT)
  at = value(header, at, row.moment)
  at = literal(header, at, PAYLOAD_HASH)
  at = hex(header, at, row.payload_hash)
  at = literal(header, at, REEL)
  at = value(header, at, row.reel)
  at = literal(header, at, SEQ)
  at = digits(header, at, row.seq)
  at = literal(header, at, STACK)
  at = textOrNull(header, at)
  at = literal(header, at, VERSION)
  return at === header.length
}

const ACTOR = Buffer.from('{"actor":')
const AT = Buffer.from(',"at":')
const CAUSE = Buffer.from(',"cause":')
const CODE = Buffer.from(',"code":')
const DRIVER = Buffer.from(',"driver":')
const KIND = Buffer.from(',"kind":')
const MOMENT = Buffer.from(',"moment":')
const PAYLOAD_HASH = Buffer.from(',"payloadHash":"')
const REEL = Buffer.from('","reel":')
const SEQ = Buffer.from(',"seq":')
const STACK = Buffer.from(',"stack":')
const VERSION = Buffer.from(`,"v":${FACT_VERSION}}`)
const NULL = Buffer.from('null')

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const [ZERO, NINE] = [0x30, 0x39]
const DIGITS_MAX = 15
/** 1 for each byte that stands for itself in a text */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= 0x20 && byte <= 0x7e && byte !== QUOTE && byte !== BACKSLASH),
)

// Each of these returns where what it expects ends; −1 where that does not stand there, or something before
// was missing.

function literal(header: Buffer, at: number, bytes: Buffer): number {
  if (at < 0) return -1
  for (let i = 0; i < bytes.length; i++) if (header[at + i] !== bytes[i]) return -1
  return at + bytes.length
}

/** Any text in quotes. */
function text(header: Buffer, at: number): number {
  if (at < 0 || header[at] !== QUOTE) return -1
  for (let i = at + 1; i < header.length; i++) {
    const byte = header[i] as number
    if (byte === QUOTE) return i + 1
    if (PLAIN[byte] === 0) return -1
  }
  return -1
}

const textOrNull = (header: Buffer, at: number): number =>
  header[at] === QUOTE ? text(header, at) : literal(header, at, NULL)

/** This text in quotes, or null. */
function value(header: Buffer, at: number, expected: string | null): number {
  if (expected === null) return literal(header, at, NULL)
  if (at < 0 || header[at] !== QUOTE) return -1
  const start = at + 1
  for (let i = 0; i < expected.length; i++) {
    const byte = header[start + i] as number
    if (byte !== expected.charCodeAt(i) || PLAIN[byte] === 0) return -1
  }
  const end = start + expected.length
  return header[end] === QUOTE ? end + 1 : -1
}

function hex(header: Buffer, at: number, expected: Buffer): number {
  if (at < 0) return -1
  for (let i = 0; i < expected.length; i++) {
    const byte = expected[i] as number
    if (header[at + 2 * i] !== HEX[byte >> 4] || header[at + 2 * i + 1] !== HEX[byte & 15]) return -1
  }
  return at + 2 * expected.length
}

const HEX = Buffer.from('0123456789abcdef')

function integer(header: Buffer, from: number): number {
  if (from < 0) return -1
  const first = header[from] === MINUS ? from + 1 : from
  let at = first
  while (isDigit(header[at])) at += 1
  const isCanonical = header[first] !== ZERO || (at === first + 1 && first === from)
  return at > first && at - first <= DIGITS_MAX && isCanonical ? at : -1
}

/** The digits of this number, which is not negative. */
function digits(header: Buffer, from: number, expected: number): number {
  const end = integer(header, from)
  let number = 0
  for (let i = from; i < end; i++) number = number * 10 + (header[i] as number) - ZERO
  return number === expected ? end : -1
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE
