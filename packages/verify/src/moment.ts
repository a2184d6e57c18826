import { momentId, parseMomentId, type Wake } from '@treeos/core'
import { at, isArray, isObject, type Json, type JsonObject, same } from './canonical.ts'
import { actHash, isHash, saltedHash, valueHash } from './hash.ts'
import { isHeads } from './header.ts'
import type { Head, Heads } from './heads.ts'
import { isLaw } from './law.ts'

/** What a bundle or a receipt holds of a moment besides its place in its chain. */
export interface Moment {
  readonly record: JsonObject
  readonly open: Json
  /** null when there was none, or it was erased */
  readonly decision: Json
  readonly salt: Json
  /** `{salt, request, result}`; null when nothing was asked of the outside */
  readonly effect: Json
}

/** Kind and id of the wake of a moment, whatever the record has there. */
export const wakeIn = (open: Json): Pick<Wake, 'kind' | 'id'> => ({
  kind: at(open, 'wake', 'kind') as unknown as Wake['kind'],
  id: String(at(open, 'wake', 'id')),
})

/** Compares what a moment opened with, its answer and its act with the digests in its record. */
export function* faultsOfMoment(
  moment: Moment,
  heads: Heads | null,
): Generator<[reason: string, what: string]> {
  const { record, open, decision, salt, effect } = moment
  const isOfMoment = at(open, 'moment') === record.moment && at(open, 'n') === record.n
  if (!isOwnId(record))
    yield ['record-mismatch', `its id ${record.moment} is not one of this being and number`]
  if ((record.wake === null) !== (record.reason === 'superseded' && record.outcome === 'skipped'))
    yield ['record-mismatch', 'it names no wake, or names one although a younger life closed it']
  if (!isOfMoment || valueHash(open) !== record.open)
    yield ['open-mismatch', 'what it opened with has another digest than its record says']
  if (heads === null) yield ['basis-mismatch', 'what it cites is not a list of heads, one a reel']
  else if (heads.digests.basis !== at(open, 'basis'))
    yield ['basis-mismatch', 'its basis has another digest than its open record says']
  else if (!areOfBasis(at(open, 'heads'), heads.basis))
    yield ['basis-mismatch', 'its open record names another head of a reel than its basis']
  const isGone = salt === null && decision === null
  if (!isGone && (decision === null || !isHash(salt) || saltedHash(salt, decision) !== record.decision))
    yield ['decision-mismatch', 'its decision has another digest than its record says']
  if (heads !== null && (record.judged ?? null) !== heads.digests.judged)
    yield ['judged-mismatch', 'its call was judged from heads with another digest']
  if (!isHeads(record.facts ?? null))
    yield ['facts-mismatch', 'what it wrote is not a list of [reel, number, hash]']
  if (effect !== null && (!isObject(record.effect) || !same(record.effect, effectDigests(effect))))
    yield ['effect-mismatch', 'its effect, or the result, has another digest']
  if (record.stackDigest !== (record.stack === null ? null : valueHash(record.stack ?? null)))
    yield ['record-mismatch', 'its stack has another digest than its record says']
  const facts = (isArray(record.facts) ? record.facts : []).map((ref) => (isArray(ref) ? String(ref[2]) : ''))
  if (!isLaw(record.law)) yield ['record-mismatch', 'it does not name the law that judged it']
  for (const field of ['sends', 'refusal'])
    if (record[field] !== undefined && !isHash(record[field]))
      yield ['record-mismatch', `its ${field} is not a digest`]
  const act = actHash({ moment: String(record.moment), decision: String(record.decision ?? ''), facts })
  if (record.act !== (record.outcome === 'act' ? act : null))
    yield ['act-mismatch', 'its act has another digest than its facts give']
}

/** Whether a moment has the id of its being, of a life, and of its number: so no two links of a chain have one id. */
function isOwnId({ moment, being, n }: JsonObject): boolean {
  const { generation } = parseMomentId(String(moment))
  const isLife = Number.isSafeInteger(generation) && generation > 0
  return isLife && moment === momentId(String(being), generation, Number(n))
}

/** Whether heads are those of the basis, as far as that shows them. */
function areOfBasis(heads: Json | undefined, basis: readonly Head[]): boolean {
  const known = new Map(basis.map((head) => [head[0], head]))
  return (isArray(heads) ? heads : []).every((head) => {
    const own = isArray(head) ? known.get(String(head[0])) : undefined
    return own === undefined || same(head, [...own])
  })
}

const isArrayOfSome = (value: Json | undefined): boolean => isArray(value) && value.length > 0

/** By kind of a decision. */
const MAY_END: Readonly<Record<string, readonly string[]>> = {
  call: ['act', 'see', 'failure', 'waiting'],
  see: ['see', 'failure'],
  failure: ['failure'],
}

/** Which outcomes a decision may have, and the reason of one that failed. */
export function* faultsOfOutcome({
  record,
  open,
  decision,
}: Moment): Generator<[reason: string, what: string]> {
  const { outcome, reason } = record
  const isNone = record.decision === null
  if (isNone && (outcome === 'act' || outcome === 'waiting' || isArrayOfSome(record.facts)))
    yield ['outcome-mismatch', `it decided nothing, and its outcome is ${outcome}`]
  if (!isNone && record.stack === null) yield ['outcome-mismatch', 'it decided something, and wore no role']
  const ungated = isNone ? null : faultOfUngated(record)
  if (ungated !== null) yield ['outcome-mismatch', ungated]
  if (decision === null) return // erased, or there was none
  const kind = at(decision, 'kind')
  if (!(MAY_END[String(kind)] ?? []).includes(String(outcome)))
    yield ['outcome-mismatch', `its decision was ${kind}, and its outcome is ${outcome}`]
  if (isArrayOfSome(record.facts) && !mayWrite(record, open, decision))
    yield ['outcome-mismatch', `it wrote facts, and its outcome is ${outcome}`]
  const own = ['BEING_ENDED', 'ROLE_UNAVAILABLE', at(decision, 'code') ?? null]
  if (kind === 'failure' && !own.includes(reason ?? null))
    yield ['outcome-mismatch', 'its decision failed for another reason']
}

/** By what refused a call beside the gates: the reasons that it gives. What an effect gave may be any. */
const REASONS_BESIDE: Readonly<Record<string, readonly string[]>> = {
  thread: ['RESOURCE_CONFLICT'],
  inbox: ['RESOURCE_CONFLICT', 'RATE_LIMITED'],
  lease: ['FORBIDDEN'],
  erasing: ['RESOURCE_CONFLICT'],
  storage: ['FORBIDDEN', 'INTERNAL'],
  count: ['RESOURCE_CONFLICT'],
}

/** A decision that no gate was asked about comes to nothing: code of a role was not loaded, or a condition beside the gates refused it. */
function faultOfUngated({ promptDigest, beside, outcome, reason, by, shadow }: JsonObject): string | null {
  if (promptDigest !== null && beside === undefined) return null
  const reasons = promptDigest === null ? ['ROLE_UNAVAILABLE', 'BEING_ENDED'] : REASONS_BESIDE[String(beside)]
  const isRefused = outcome === 'failure' && same(by ?? null, []) && shadow === undefined
  if (isRefused && (reasons === undefined || reasons.includes(String(reason)))) return null
  const why = promptDigest === null ? 'code of its role was not loaded' : `it was refused for ${beside}`
  return `${why}, and its outcome is ${outcome}, ${reason}`
}

/**
 * Whether code of a role that a moment wore may not have been loaded: some of its roles have code.
 * @returns null where its manifest shows that their extension was not there, so that nothing is left open
 */
export function whyNotLoaded(
  { record, open }: Pick<Moment, 'record' | 'open'>,
  contentOf: (digest: string) => Json | undefined,
): { readonly fault: string } | { readonly unproven: string } | null {
  const stacked = at(record, 'stack', 'stacked')
  const roles = [at(record, 'stack', 'primary'), ...(isArray(stacked) ? stacked : [])]
  const ofCode = roles.filter((role) => {
    const spec = contentOf(String(at(role, 'digest')))
    return String(at(role, 'name')).includes(':') || isObject(at(spec, 'prompt'))
  })
  if (ofCode.length === 0) return { fault: 'code of its role was not loaded, and none of its roles has code' }
  const loaded = at(contentOf(String(record.code ?? at(open, 'code'))), 'extensions')
  const isGone = (role: Json | undefined) => {
    const [extension = ''] = String(at(role, 'name')).split(':')
    return isObject(loaded) && !Object.hasOwn(loaded, extension)
  }
  return ofCode.some(isGone) ? null : { unproven: 'code of a role that they wore was not loaded' }
}

/**
 * Whether a moment may have written facts: an act; that its being met a limit; that its call waits; that the yes which it brought is over; or
 * that it counts for what it asked of the outside.
 */
function mayWrite({ outcome, facts, moment, effect }: JsonObject, open: Json, decision: Json): boolean {
  if (outcome === 'act' || at(decision, 'breach') !== undefined) return true
  const wake = String(at(open, 'wake', 'id'))
  const waits = outcome === 'waiting' ? String(moment) : wake.startsWith('approved/') ? wake.slice(9) : null
  const mayBe = (reel: string) =>
    (waits !== null && reel === `approval:${waits}`) || (effect !== undefined && reel.startsWith('tally:'))
  return isArray(facts) && facts.every((ref) => isArray(ref) && mayBe(String(ref[0])))
}

/** What of a moment its record holds the digest of, and is not there. */
export function* goneFrom({ record, decision, salt, effect }: Moment): Generator<'decision' | 'effect'> {
  if (record.decision !== null && decision === null && salt === null) yield 'decision'
  if (record.effect !== undefined && effect === null) yield 'effect'
}

/** Salted digests of what was asked of the outside, and of the result. */
const effectDigests = (effect: Json): Json => {
  if (!isObject(effect) || !isHash(effect.salt)) return null
  const { salt, request = null, result = null } = effect
  return { request: saltedHash(salt, request), result: result === null ? null : saltedHash(salt, result) }
}

/** The contents that a moment names by digest, each with the form that it has to have: its program, manifests of code, and specs. */
export function* namedContents({
  record,
  open,
}: Pick<Moment, 'record' | 'open'>): Generator<readonly [form: string, digest: Json | undefined]> {
  yield ['program', at(open, 'program')]
  for (const part of [open, record]) yield ['manifest', at(part, 'code')]
  const stacked = at(record, 'stack', 'stacked')
  for (const role of [at(record, 'stack', 'primary'), ...(isArray(stacked) ? stacked : [])])
    yield ['spec', at(role, 'digest')]
}

/** What a moment names: facts that it wrote and others, the fact that caused it, and the digests of contents. */
export function citedBy(
  { record, open }: Moment,
  { basis, judged, noted }: Record<'basis' | 'judged' | 'noted', Json>,
) {
  const list = (refs: Json | undefined): readonly Json[] => (isArray(refs) ? refs : [])
  const digests = [...namedContents({ record, open })].map(([, digest]) => digest)
  const shown = [['said', 'facts'], ['did'], ['past', 'facts']].flatMap((path) =>
    list(at(noted, 'aside', ...path)),
  )
  return {
    facts: list(record.facts),
    cited: [basis, judged, shown].flatMap(list),
    /** what its face showed: words, own acts, what it recalled */
    shown,
    cause: at(open, 'wake', 'cause'),
    digests: digests.filter((digest) => typeof digest === 'string'),
  }
}
