import { TreeosError } from './error.ts'
import { guardJson, isJsonObject, type Json, type JsonObject, NotPlainJsonError } from './json.ts'
import { CONTENT_BOUNDS } from './limits.ts'
import { type BeingName, isRoleName, quote } from './names.ts'
import { type Decision, ORIENTATIONS, PRIORITIES, type Priority, type VerbCall } from './wake.ts'

/** What a person's act carries: the call, and the summon it answers. */
export interface ActContent {
  readonly call: VerbCall
  /** correlation of an open entry of the person's inbox; null for a free act */
  readonly answers: string | null
  /** the lease under which somebody else drives the being; left out where a person acts as itself */
  readonly lease?: { readonly driver: BeingName; readonly epoch: number }
}

const ACT_PREFIX = 'act/'

/** Inbox id of a person's act. The summon it makes gets the correlation itself, so both are known beforehand. */
export const actWakeId = (correlation: string): string => ACT_PREFIX + correlation

/** The id a summon of this moment gets: chosen by the person, or the moment's own. */
export function correlationFor(wake: { kind: string; id: string }, moment: string): string {
  return wake.kind === 'act' && wake.id.startsWith(ACT_PREFIX) ? wake.id.slice(ACT_PREFIX.length) : moment
}

/**
 * Guards a value at an edge and says in the user's terms what is wrong with it.
 * @throws {TreeosError} PAYLOAD_TOO_LARGE or INVALID_INPUT naming the place of the fault
 */
export function requireContent(value: unknown, what: string): Json {
  try {
    guardJson(value, CONTENT_BOUNDS)
    return value as Json
  } catch (error) {
    if (!(error instanceof NotPlainJsonError)) throw error
    const tooLarge = error.path === '$' && error.reason.includes(' bytes,')
    throw new TreeosError(tooLarge ? 'PAYLOAD_TOO_LARGE' : 'INVALID_INPUT', `${what}: ${error.message}`)
  }
}

/**
 * Reads one verb call from outside: a person's act, a script's answer, a signal.
 * @throws {TreeosError} INVALID_INPUT or VERB_NOT_SUPPORTED naming the field and the value
 */
export function parseCall(input: unknown): VerbCall {
  const call = requireContent(input, 'call')
  if (!isJsonObject(call)) throw fault('the call', call, 'an object with a verb')
  switch (call.verb) {
    case 'see':
      return { verb: 'see', address: text(call, 'address') }
    case 'do':
      return {
        verb: 'do',
        action: text(call, 'action'),
        target: optional(call, 'target'),
        args: object(call, 'args'),
      }
    case 'be':
      return { verb: 'be', operation: text(call, 'operation'), payload: object(call, 'payload') }
    case 'summon':
      return parseSummon(call)
    default:
      throw new TreeosError(
        'VERB_NOT_SUPPORTED',
        `verb ${quote(call.verb)} is not one of see, do, summon, be`,
      )
  }
}

function parseSummon(call: JsonObject): VerbCall {
  const { content, priority } = call
  if (content === undefined || content === null || content === '')
    throw fault('content', content, 'what to say')
  if (priority !== undefined && !(typeof priority === 'string' && Object.hasOwn(PRIORITIES, priority))) {
    throw fault('priority', priority, `one of ${Object.keys(PRIORITIES).join(', ')}`)
  }
  const { role } = call
  if (role !== undefined && !isRoleName(role)) throw fault('role', role, 'the name of a role')
  const orientation = ORIENTATIONS.find((known) => known === call.orientation)
  if (call.orientation !== undefined && orientation === undefined)
    throw fault('orientation', call.orientation, `one of ${ORIENTATIONS.join(', ')}`)
  return {
    verb: 'summon',
    target: optional(call, 'target'),
    content,
    inReplyTo: optional(call, 'inReplyTo'),
    ...(priority === undefined ? {} : { priority: priority as Priority }),
    ...(role === undefined ? {} : { role }),
    ...(orientation === undefined ? {} : { orientation }),
    ...withText(call, 'thread'),
    ...withText(call, 'channel'),
  }
}

/**
 * Reads what a script answered.
 * @throws {TreeosError} INVALID_INPUT
 */
export function parseDecision(input: unknown): Decision {
  const decision = requireContent(input, 'decision')
  if (!isJsonObject(decision)) throw fault('the decision', decision, 'an object with a kind')
  const content = optional(decision, 'content')
  if (decision.kind === 'see') return { kind: 'see', content }
  if (decision.kind === 'call') return { kind: 'call', call: parseCall(decision.call), content }
  if (decision.kind === 'failure') {
    return { kind: 'failure', code: text(decision, 'code'), message: text(decision, 'message') }
  }
  throw fault('kind', decision.kind, 'one of call, see, failure')
}

function text(from: JsonObject, name: string): string {
  const value = Object.hasOwn(from, name) ? from[name] : undefined
  if (typeof value === 'string' && value !== '') return value
  throw fault(name, value, 'a text')
}

function optional(from: JsonObject, name: string): string | null {
  const value = Object.hasOwn(from, name) ? from[name] : undefined
  return value === undefined || value === null ? null : text(from, name)
}

function withText<K extends string>(from: JsonObject, name: K): { [N in K]?: string } {
  const value = optional(from, name)
  return value === null ? {} : ({ [name]: value } as { [N in K]?: string })
}

function object(from: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(from, name) ? from[name] : undefined
  if (value === undefined || value === null) return {}
  if (isJsonObject(value)) return value
  throw fault(name, value, 'an object')
}

function fault(name: string, value: Json | undefined, right: string): TreeosError {
  const came = value === undefined ? 'is missing' : `is ${quote(value)}`
  return new TreeosError('INVALID_INPUT', `${name} ${came}; it takes ${right}`)
}
