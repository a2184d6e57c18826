import {
  type Cognition,
  isKey,
  type Json,
  type JsonObject,
  quote,
  readPath,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import type { BeingRow } from '../rows/rows.ts'
import { type ArgumentForm, type ArgumentForms, optional, TEXT } from './argument-forms.ts'
import type { Arguments } from './arguments.ts'

/**
 * Namespace of the quality `llm.connection`: the name of a model connection in the operator's configuration.
 */
export const LLM = 'llm'
const FIELD = 'connection'

/** @throws {TreeosError} INVALID_INPUT unless it is a name */
export function requireConnectionName(operation: string, name: Json): string {
  if (typeof name === 'string' && isKey(name)) return name
  throw new TreeosError(
    'INVALID_INPUT',
    `${operation}: the model connection is ${quote(name)}; it takes a kebab-case name of the operator's configuration`,
  )
}

/**
 * A mind may give its offspring the model connection that it has itself, and no other: another one may be
 * dear, or be kept for others by the operator. A person names any.
 * @param name null for none: the default model of the reality, which is everyone's
 * @param cognition who decides for the actor in this moment
 * @throws {TreeosError} FORBIDDEN
 */
export function requireOwnConnection(
  name: Json,
  { actor, cognition }: { readonly actor: BeingRow; readonly cognition: Cognition },
): void {
  if (name === null || cognition === 'human') return
  const own = readPath(actor.qualities, [LLM, FIELD]) ?? null
  if (name === own) return
  const has = own === null ? 'none of its own' : quote(own)
  throw new TreeosError(
    'FORBIDDEN',
    `${stanceOf(actor.name)} decides without a person, so it gives others no model connection but its own; it has ${has}, and not ${quote(name)}`,
  )
}

const MODEL_CHARS_MAX = 120
const ANSWER_TOKENS_MAX = 1_000_000

const isModelName = (model: Json): boolean =>
  typeof model === 'string' && model.length <= MODEL_CHARS_MAX && /^[\x21-\x7e]+$/.test(model)

export const connectionArgument: ArgumentForm = optional(
  TEXT,
  "for llm: the name of a model connection of the operator's configuration; the default model when absent",
  { parse: (name) => requireConnectionName('birth', name) },
)

/** What only operations of extensions set, beside the connection. */
export const modelArguments: ArgumentForms = {
  model: optional(TEXT, 'name of a model at that connection', {
    right: `a name of a model, at most ${MODEL_CHARS_MAX} characters`,
    isRight: isModelName,
  }),
  maxTokens: optional(
    { type: 'integer', minimum: 1, maximum: ANSWER_TOKENS_MAX },
    'how long one answer may be, in tokens',
  ),
}

/**
 * The quality `llm` of a being: its connection, and the name and the answer limit that only operations of
 * extensions set.
 */
export function modelSettingsIn(given: Arguments): JsonObject {
  const connection = given.optionalText('connection')
  const model = given.optionalText('model')
  const tokens = given.value('maxTokens')
  return {
    ...(connection === null ? {} : { connection }),
    ...(model === null ? {} : { model }),
    ...(tokens === undefined ? {} : { 'max-tokens': tokens }),
  }
}

/**
 * Refuses a quality below `llm` other than the name of a model connection, a being that chooses its own, and
 * a mind that gives others another one than it has.
 * @param lender the driver whose reach the actor has; null when it acts for itself
 */
export function requireConnectionChange(
  { path, value }: { readonly path: readonly string[]; readonly value: Json },
  {
    actor,
    target,
    lender,
    cognition,
  }: {
    readonly actor: BeingRow
    readonly target: BeingRow
    readonly lender: BeingRow | null
    readonly cognition: Cognition
  },
): void {
  if (path[0] !== LLM) return
  if (path.length !== 2 || path[1] !== FIELD)
    throw new TreeosError(
      'INVALID_INPUT',
      `set-being: ${path.join('.')} does not exist; there is ${LLM}.${FIELD}`,
    )
  if (value !== null) requireConnectionName('set-being', value)
  if (actor.name === target.name && lender === null && target.cognition.kind !== 'human')
    throw new TreeosError(
      'FORBIDDEN',
      `${stanceOf(actor.name)} does not choose its own model: a maker of it or the operator does`,
    )
  requireOwnConnection(value, { actor, cognition })
}
