import {
  canonicalJson,
  FACT_VERSION,
  type FactHeader,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@treeos/core'
import { factHash, momentHash, payloadHash } from '../ledger/hash.ts'
import type { FactRow, RecordRow } from './read.ts'
import type { BrokenReason } from './verdict.ts'

export function faultOfFact(row: FactRow): BrokenReason | null {
  if (!row.hash.equals(factHash(row.prev, row.header))) return 'hash-mismatch'
  if (!isHeaderOf(row)) return 'header-mismatch'
  if (row.salt === null || row.bytes === null) return null // erased
  return row.payload_hash.equals(payloadHash(row.salt, row.bytes)) ? null : 'payload-mismatch'
}

/** Whether the stored header is the canonical JSON for these columns. No other form could have been hashed. */
const isHeaderOf = (row: FactRow): boolean => isPlainHeaderOf(row) || isAnyHeaderOf(row)

// Most headers need no parser: they hold nothing but printable ASCII without escapes, so each value stands there as it is.
const PLAIN = /^[ !#-[\]-~]*$/
const TEXT = '"[ !#-[\\]-~]*"'
const BEFORE = new RegExp(
  `\\{"actor":${TEXT},"at":(?:0|-?[1-9]\\d{0,14}),"cause":(?:null|${TEXT}),"code":${TEXT},"driver":(?:null|${TEXT}),`,
  'y',
)
const AFTER = new RegExp(`(?:null|${TEXT}),"v":${FACT_VERSION}\\}$`, 'y')

function isPlainHeaderOf({ header, reel, seq, kind, moment, payload_hash }: FactRow): boolean {
  if (!PLAIN.test(reel) || !PLAIN.test(kind) || (moment !== null && !PLAIN.test(moment))) return false
  const text = header.toString('latin1')
  BEFORE.lastIndex = 0
  if (!BEFORE.test(text)) return false
  const own = `"kind":"${kind}","moment":${moment === null ? 'null' : `"${moment}"`},"payloadHash":"${payload_hash.toString('hex')}","reel":"${reel}","seq":${seq},"stack":`
  if (!text.startsWith(own, BEFORE.lastIndex)) return false
  AFTER.lastIndex = BEFORE.lastIndex + own.length
  return AFTER.test(text)
}

function isAnyHeaderOf({ header, reel, seq, kind, moment, payload_hash }: FactRow): boolean {
  const said = parse(header) as Partial<FactHeader> | null
  if (said === null || !isText(said.actor) || !isText(said.code) || !Number.isSafeInteger(said.at))
    return false
  const { actor, driver, cause, at, stack, code } = said
  if (![driver, cause, stack].every((value) => value === null || isText(value))) return false
  const payloadHash = payload_hash.toString('hex')
  const own = { v: FACT_VERSION, reel, seq, kind, actor, driver, moment, cause, at, payloadHash, stack, code }
  return isCanonical(own as Json, header)
}

export function faultOfRecord(row: RecordRow): BrokenReason | null {
  if (!row.hash.equals(momentHash(row.prev, row.record))) return 'hash-mismatch'
  const said = parse(row.record)
  return said !== null && isCanonical(said, row.record) && isRecordOf(said, row) ? null : 'header-mismatch'
}

function isRecordOf(said: JsonObject, row: RecordRow): boolean {
  const stack = said.stack as { primary?: { name?: Json } } | null | undefined
  return (
    said.being === row.being &&
    said.moment === row.moment &&
    said.n === row.n &&
    said.outcome === row.kind &&
    said.reason === row.reason &&
    said.wake === row.wake &&
    said.sealedAt === row.sealed_at &&
    (stack?.primary?.name ?? null) === row.primary_role
  )
}

const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0')

function parse(bytes: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

function isCanonical(value: Json, bytes: Buffer): boolean {
  try {
    return bytes.equals(Buffer.from(canonicalJson(value), 'utf8'))
  } catch {
    return false // half a surrogate pair, or a negative zero
  }
}
