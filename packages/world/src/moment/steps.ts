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
    default:
      return { did: `did ${callInWords(call)}`, result: bounded(result) }
  }
}

/** A call in words, without its verb where its operation says it. */
export function callInWords(call: VerbCall): string {
  switch (call.verb) {
    case 'see':
      return `see ${call.address}`
    case 'summon':
      return `summon ${call.target ?? 'whoever asked'}: ${shortened(call.content)}`
    case 'do':
      return `${call.action}${call.target === null ? '' : ` on ${call.target}`}${withArguments(call.args)}`
    case 'be':
      return `${call.operation}${withArguments(call.payload)}`
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
