import { fieldFault, readCall, readText } from './call-shape.ts'
import { TreeosError } from './error.ts'
import {
  guardJson,
  isJsonObject,
  type Json,
  type JsonBounds,
  type JsonObject,
  NotPlainJsonError,
} from './json.ts'
import { CONTENT_BOUNDS, GIVEN_BOUNDS } from './limits.ts'
import { type BeingName, quote } from './names.ts'
import { VERBS } from './stack.ts'
import type { Decision, VerbCall } from './wake.ts'

/** Content of a person's act: the call, and the summon that it answers. */
export interface ActContent {
  readonly call: VerbCall
  /** correlation of an open entry of the person's inbox; null for a free act */
  readonly answers: string | null
  /** the lease under which a driver acts as the being; left out where a person acts as itself */
  readonly lease?: { readonly driver: BeingName; readonly epoch: number }
  /**
   * it came by a Temporal signal, whose sender hears nothing; left out where the person waits for the result
   */
  readonly isSignal?: true
  /** by a passkey of who acts; left out without one */
  readonly signed?: ActSignature
  /**
   * with `signed`: the salt of its decision, in hex. The passkey signed it too, so nobody can guess a call
   * that was erased
   */
  readonly salt?: string
}

/**
 * The assertion of a passkey over an act: docs/formats.md says what it signs. All but `key` and `at` are
 * base64url.
 */
export interface ActSignature {
  /** id of the passkey in the qualities of the person */
  readonly key: string
  /** ms since 1970 UTC */
  readonly at: number
  readonly authenticatorData: string
  readonly clientDataJSON: string
  readonly signature: string
}

const ACT_PREFIX = 'act/'

/**
 * Inbox id of a person's act. The summon that it makes gets the correlation itself, so the caller knows both
 * in advance.
 */
export const actWakeId = (correlation: string): string => ACT_PREFIX + correlation

/** The correlation of a summon that this moment makes: the one that a person chose, else the moment's id. */
export function correlationFor(wake: { kind: string; id: string }, moment: string): string {
  return wake.kind === 'act' && wake.id.startsWith(ACT_PREFIX) ? wake.id.slice(ACT_PREFIX.length) : moment
}

/**
 * Checks a value that was given from outside, as JSON, against the bounds of content.
 * @throws {TreeosError} PAYLOAD_TOO_LARGE or INVALID_INPUT naming the place of the fault
 */
export const requireContent = (value: unknown, what: string): Json => within(GIVEN_BOUNDS, value, what)

/**
 * Checks a value that code computed, or that passed a door before.
 * @throws {TreeosError} as `requireContent`
 */
export const requireStorable = (value: unknown, what: string): Json => within(CONTENT_BOUNDS, value, what)

function within(bounds: JsonBounds, value: unknown, what: string): Json {
  try {
    guardJson(value, bounds)
    return value as Json
  } catch (error) {
    if (!(error instanceof NotPlainJsonError)) throw error
    throw new TreeosError(
      error.isTooLarge ? 'PAYLOAD_TOO_LARGE' : 'INVALID_INPUT',
      `${what}: ${error.message}`,
    )
  }
}

/**
 * Reads one verb call from outside: a person's act, a script's answer, a signal.
 * @throws {TreeosError} INVALID_INPUT or VERB_NOT_SUPPORTED naming the field and the value
 */
export const parseCall = (input: unknown): VerbCall => callIn(requireContent(input, 'call'))

/** Reads a call that the record holds: it passed a door, perhaps of an older release. */
export const parseStoredCall = (stored: unknown): VerbCall => callIn(requireStorable(stored, 'call'))

function callIn(call: Json): VerbCall {
  if (!isJsonObject(call)) throw fieldFault('the call', call, 'an object with a verb')
  const verb = VERBS.find((known) => known === call.verb)
  if (verb !== undefined) return readCall(verb, call)
  throw new TreeosError('VERB_NOT_SUPPORTED', `verb ${quote(call.verb)} is not one of see, do, summon, be`)
}

/**
 * Reads what a script answered.
 * @throws {TreeosError} INVALID_INPUT
 */
export function parseDecision(input: unknown): Decision {
  const decision = requireContent(input, 'decision')
  if (!isJsonObject(decision)) throw fieldFault('the decision', decision, 'an object with a kind')
  const content = readText(decision, 'content')
  if (decision.kind === 'see') return { kind: 'see', content }
  if (decision.kind === 'call') return { kind: 'call', call: parseCall(decision.call), content }
  if (decision.kind === 'failure') {
    return { kind: 'failure', code: requireText(decision, 'code'), message: requireText(decision, 'message') }
  }
  throw fieldFault('kind', decision.kind, 'one of call, see, failure')
}

function requireText(from: JsonObject, name: string): string {
  const text = readText(from, name)
  if (text !== null) return text
  throw fieldFault(name, Object.hasOwn(from, name) ? from[name] : undefined, 'a text')
}
