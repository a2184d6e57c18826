import {
  type Caller,
  canonicalJson,
  isContinuation,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  readPath,
  stanceOf,
  utf8Length,
  type VerbCall,
  type Wake,
} from '@treeos/core'

/** Fields of the content of a wake by which a being goes on: what its last look or act gave. */
export const STEP_FIELDS = ['did', 'result', 'address', 'seen', 'refused'] as const

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
      return `see ${call.address}`
    case 'summon':
      return `summon ${call.target ?? 'whoever asked'}: ${shortenedStep(call.content)}`
    case 'do':
      return `${call.operation}${call.target === null ? '' : ` on ${call.target}`}${withArguments(call.args)}`
    case 'be':
      return `${call.operation}${withArguments(call.args)}`
  }
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
  return { omitted: `${length} characters; at most ${RESULT_LENGTH_MAX} are shown` }
}

/**
 * The caller and content that the being goes on with. A moment sees no past turns, so the wakes by which a
 * being goes on repeat them.
 */
export function begunIn(
  { wake, caller }: { readonly wake: Pick<Wake, 'id' | 'kind'>; readonly caller: Caller | null },
  content: Json,
): { begun?: Json } {
  if (isContinuation(wake))
    return isJsonObject(content) && 'begun' in content ? { begun: content.begun ?? null } : {}
  return { begun: caller === null ? content : { from: stanceOf(caller.name), content } }
}

/** Steps of a sequence that its next moment shows before the last one. */
const EARLIER_MAX = 8

/** What the acts and looks before this moment gave, oldest first, as its own wake shows them. */
export function stepsIn(wake: Pick<Wake, 'id' | 'kind'>, content: Json): Json[] {
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
 * `begun`, then the last step.
 */
export function fitContent(content: JsonObject): JsonObject {
  let kept = content
  const isTooLarge = () => utf8Length(canonicalJson(kept)) > LIMITS.contentBytesMax
  const omitted = () =>
    `left out: with it the content has ${utf8Length(canonicalJson(kept))} bytes, at most ${LIMITS.contentBytesMax} are allowed`
  const earlier = Array.isArray(content.earlier) ? content.earlier : []
  for (const [i, step] of earlier.entries()) {
    if (!isTooLarge()) return kept
    const shown = 'seen' in (step as JsonObject) ? 'seen' : 'result'
    const noted = { ...(step as JsonObject), [shown]: { omitted: omitted() } }
    kept = { ...kept, earlier: (kept.earlier as Json[]).with(i, noted) }
  }
  for (const field of ['begun', 'seen', 'result']) {
    if (!isTooLarge()) break
    if (field in kept) kept = { ...kept, [field]: { omitted: omitted() } }
  }
  return kept
}
