import {
  addressesOf,
  type Caller,
  canonicalJson,
  filesNamed,
  isContinuation,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  matterReel,
  readPath,
  stanceOf,
  utf8Length,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import { firstWake, type RefusedCall } from './first-wake.ts'

/** Fields of the content of a wake by which a being goes on: what its last look or act gave. */
export const STEP_FIELDS = ['did', 'result', 'address', 'addresses', 'seen', 'looks', 'refused'] as const

/** How often in a row a being made the same call, which gave the same. */
export interface Repeats {
  /** of the call with what it gave */
  readonly digest: string
  readonly times: number
}

/** What a call gave, as far as it is compared with what the same call gave before. */
export const gaveOf = ({ verb }: VerbCall, result: Json): Json =>
  verb === 'summon' ? (readPath(result, ['to']) ?? null) : result

/** The call with which a moment began, by its own wake, and how often it was made; null where it began with none. */
export function repeatsIn(own: Pick<Wake, 'id' | 'kind'>, heard: Json): Repeats | null {
  const { wake, content } = firstWake(own, heard)
  if (!isContinuation(wake) || !isJsonObject(content)) return null
  const { same = null } = content
  return isJsonObject(same) ? (same as unknown as Repeats) : null
}

/** Longer arguments and results are not repeated to the mind that made the call. */
const CALL_LENGTH_MAX = 2048
const RESULT_LENGTH_MAX = 8192

/** What an act did, in words, and what it gave. */
export function actStep(call: VerbCall, result: Json): JsonObject {
  switch (call.verb) {
    case 'see':
      return {}
    case 'summon':
      return { did: `said to ${call.target ?? readPath(result, ['to'])}: ${shortenedStep(call.content)}` }
    default:
      return { did: `did ${callText(call)}`, result: bounded(result) }
  }
}

/** A call in words, without its verb where its operation says it. */
export function callText(call: VerbCall): string {
  switch (call.verb) {
    case 'see':
      return `see ${addressesOf(call).join(', ')}`
    case 'summon':
      return `summon ${call.target ?? 'whoever asked'}: ${shortenedStep(call.content)}`
    case 'do':
      return `${call.operation}${call.target === null ? '' : ` on ${call.target}`}${withArguments(call.args)}`
    case 'be':
      return `${call.operation}${withArguments(call.args)}`
  }
}

/** A call that was refused, as its model is told. @param call null where what it wrote could not be read as a call */
export function refusedCall(call: VerbCall | null, code: string, message: string): RefusedCall {
  const words = call === null ? null : callText(call)
  // Names in it may be as long as an answer.
  const isLong = words !== null && words.length > 2 * CALL_LENGTH_MAX
  return { call: isLong ? `a call of ${words.length} characters` : words, code, message }
}

const withArguments = (args: JsonObject): string =>
  Object.keys(args).length === 0 ? '' : ` with ${shortenedStep(args)}`

function shortenedStep(value: Json): string {
  const text = canonicalJson(value)
  return text.length <= CALL_LENGTH_MAX ? text : `${text.length} characters`
}

function bounded(result: Json): Json {
  const { length } = canonicalJson(result)
  if (length <= RESULT_LENGTH_MAX) return result
  const files = filesNamed(result).map(matterReel)
  return {
    omitted: `${length} characters; at most ${RESULT_LENGTH_MAX} are shown`,
    ...(files.length === 0 ? {} : { files }),
  }
}

/**
 * The caller and content that the being goes on with. A moment sees no past turns, so the wakes by which a
 * being goes on repeat them.
 */
export function begunIn(
  { wake: own, caller }: { readonly wake: Pick<Wake, 'id' | 'kind'>; readonly caller: Caller | null },
  heard: Json,
): { begun?: Json } {
  const { wake, content } = firstWake(own, heard)
  if (isContinuation(wake))
    return isJsonObject(content) && 'begun' in content ? { begun: content.begun ?? null } : {}
  return { begun: caller === null ? content : { from: stanceOf(caller.name), content } }
}

/** Steps of a sequence that its next moment shows before the last one. */
const EARLIER_MAX = 8

/** What the acts and looks before this moment gave, oldest first, as its own wake shows them. */
export function stepsIn(own: Pick<Wake, 'id' | 'kind'>, heard: Json): Json[] {
  const { wake, content } = firstWake(own, heard)
  if (!isContinuation(wake) || !isJsonObject(content)) return []
  const { earlier } = content
  const step = Object.fromEntries(
    STEP_FIELDS.flatMap((field) => (field in content ? [[field, content[field] ?? null]] : [])),
  )
  const steps = Object.keys(step).length === 0 ? [] : [step]
  return [...(Array.isArray(earlier) ? earlier : []), ...steps].slice(-EARLIER_MAX)
}

/**
 * Replaces parts of a content that is too large with a note: of the earlier steps, oldest first, then
 * `begun`, then the last step; of several looks the largest first.
 */
export function fitContent(content: JsonObject): JsonObject {
  let kept = content
  const isTooLarge = () => utf8Length(canonicalJson(kept)) > LIMITS.contentBytesMax
  const omitted = () =>
    `left out: with it the content has ${utf8Length(canonicalJson(kept))} bytes, at most ${LIMITS.contentBytesMax} are allowed`
  const earlier = Array.isArray(content.earlier) ? content.earlier : []
  for (const [i, step] of earlier.entries()) {
    if (!isTooLarge()) return kept
    const shown = ['looks', 'seen'].find((field) => field in (step as JsonObject)) ?? 'result'
    const noted = { ...(step as JsonObject), [shown]: { omitted: omitted() } }
    kept = { ...kept, earlier: (kept.earlier as Json[]).with(i, noted) }
  }
  for (const field of ['begun', 'seen', 'result']) {
    if (!isTooLarge()) break
    if (field in kept) kept = { ...kept, [field]: { omitted: omitted() } }
  }
  for (const i of largestFirst(Array.isArray(kept.looks) ? kept.looks : [])) {
    if (!isTooLarge()) return kept
    const looks = kept.looks as JsonObject[]
    kept = {
      ...kept,
      looks: looks.with(i, { address: looks[i]?.address ?? null, seen: { omitted: omitted() } }),
    }
  }
  // What is left are refusals and words of earlier steps.
  for (const field of ['earlier', 'looks', 'addresses', 'address'])
    if (isTooLarge() && field in kept) kept = { ...kept, [field]: { omitted: omitted() } }
  return kept
}

/** Indices of looks: the one with the most content first. */
const largestFirst = (looks: readonly Json[]): number[] =>
  looks
    .map((look, i) => ({ i, size: canonicalJson(look).length }))
    .sort((one, other) => other.size - one.size)
    .map(({ i }) => i)
