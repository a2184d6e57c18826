import { canonicalJson, type Json, type JsonObject, readPath, type VerbCall } from '@treeos/core'

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
      return { did: `said to ${call.target ?? readPath(result, ['to'])}: ${shortened(call.content)}` }
    case 'do':
      return {
        did: `did ${call.action}${call.target === null ? '' : ` on ${call.target}`}${withArguments(call.args)}`,
        result: bounded(result),
      }
    case 'be':
      return { did: `did ${call.operation}${withArguments(call.payload)}`, result: bounded(result) }
  }
}

const withArguments = (args: JsonObject): string =>
  Object.keys(args).length === 0 ? '' : ` with ${shortened(args)}`

function shortened(value: Json): string {
  const text = canonicalJson(value)
  return text.length <= CALL_LENGTH_MAX ? text : `${text.length} characters`
}

function bounded(result: Json): Json {
  const { length } = canonicalJson(result)
  if (length <= RESULT_LENGTH_MAX) return result
  return { omitted: `${length} characters; at most ${RESULT_LENGTH_MAX} are shown` }
}
