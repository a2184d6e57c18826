import { at, isArray, isObject, type Json, type JsonObject, same } from '../canonical.ts'
import { actHash, isHash, saltedHash, valueHash } from '../hash.ts'

/** Compares what a moment opened with, its answer and its act with the digests in its record. */
export function* faultsOfMoment(moment: {
  readonly record: JsonObject
  readonly open: Json | undefined
  readonly basis: Json | undefined
  readonly decision: Json | undefined
  readonly salt: Json | undefined
  readonly judged: Json | undefined
  readonly effect: Json | undefined
}): Generator<[reason: string, what: string]> {
  const { record, open, basis, decision, salt, judged, effect } = moment
  if (
    valueHash(open ?? null) !== record.open ||
    at(open, 'moment') !== record.moment ||
    at(open, 'n') !== record.n
  )
    yield ['open-mismatch', 'what it opened with has another digest than its record says']
  if (valueHash(basis ?? null) !== at(open, 'basis'))
    yield ['basis-mismatch', 'its basis has another digest than its open record says']
  const isErased = salt === null && decision === null
  if (!isErased && (!isHash(salt) || saltedHash(salt, decision ?? null) !== record.decision))
    yield ['decision-mismatch', 'its decision has another digest than its record says']
  if ((record.judged ?? null) !== (judged === null ? null : valueHash(judged ?? [])))
    yield [
      'judged-mismatch',
      'the heads that its call was judged from have another digest than its record says',
    ]
  if (!same(record.effect ?? null, effectDigests(effect ?? null)) && record.effect !== undefined)
    yield [
      'effect-mismatch',
      'what it asked of the outside, or the result, has another digest than its record says',
    ]
  if (record.stackDigest !== (record.stack === null ? null : valueHash(record.stack ?? null)))
    yield ['record-mismatch', 'its stack has another digest than its record says']
  const facts = (isArray(record.facts) ? record.facts : []).map((ref) => (isArray(ref) ? String(ref[2]) : ''))
  const act = actHash({ moment: String(record.moment), decision: String(record.decision ?? ''), facts })
  if (record.act !== (record.outcome === 'act' ? act : null))
    yield ['act-mismatch', 'its act has another digest than its facts give']
}

/** Salted digests of what was asked of the outside, and of the result. */
const effectDigests = (effect: Json): Json => {
  if (!isObject(effect) || !isHash(effect.salt)) return null
  const { salt, request = null, result = null } = effect
  return { request: saltedHash(salt, request), result: result === null ? null : saltedHash(salt, result) }
}

/** Digests of the role specs that a moment wore, and of the program that chose them. */
export function* namedBy(record: JsonObject, open: Json | undefined): Generator<string> {
  const stacked = at(record, 'stack', 'stacked')
  for (const role of [at(record, 'stack', 'primary'), ...(isArray(stacked) ? stacked : [])]) {
    const digest = at(role, 'digest')
    if (typeof digest === 'string') yield digest
  }
  const program = at(open, 'program')
  if (typeof program === 'string') yield program
}
