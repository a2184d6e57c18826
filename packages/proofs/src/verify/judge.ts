import {
  canonicalJson,
  FACT_VERSION,
  type FactHeader,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@treeos/core'
import { isFactHash, isMomentHash, isPayloadHash } from '@treeos/store'
import { isPlainHeaderOf } from './plain-header.ts'
import type { FactRow, RecordRow } from './read.ts'
import type { BrokenReason } from './verdict.ts'

export function faultOfFact(row: FactRow): BrokenReason | null {
  if (!isFactHash(row.hash, row.prev, row.header)) return 'hash-mismatch'
  if (!isHeaderOf(row)) return 'header-mismatch'
  const { salt, bytes } = row
  if (salt === null && bytes === null) return null // erased
  return salt !== null && bytes !== null && isPayloadHash(row.payload_hash, salt, bytes)
    ? null
    : 'payload-mismatch'
}

/**
 * Whether the stored header is the canonical JSON for these columns. No other form could have been hashed.
 */
const isHeaderOf = (row: FactRow): boolean => isPlainHeaderOf(row) || isAnyHeaderOf(row)

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
  if (!isMomentHash(row.hash, row.prev, row.record)) return 'hash-mismatch'
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
