import { canonicalJson, type Json, type JsonObject } from '@treeos/core'
import { bareJson, viewBlock, words } from './data.ts'

/** The two messages of a model call. There are no earlier turns: a forward moment has none. */
export interface Prompt {
  readonly system: string
  readonly user: string
}

/** A function of the Chat Completions API. */
export interface ModelTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: JsonObject
  }
}

/** A Signature with its inputs filled in. The input `role` is not among them: it is given when the call is rendered. */
export interface FilledSignature {
  readonly name: string
  readonly system: string
  /** by name, at least one, in the order of the user message */
  readonly inputs: Readonly<Record<string, Json>>
  /** true for a moment: without a role, its only input is the whole user message */
  readonly isBare?: true
}

/** The optional input of every Signature. Overlays fill it, and nothing else does. */
export const ROLE_INPUT = 'role'

/** Stands under the name of the input. The system message is the same with a role and without one. */
const WHAT_ROLE_IS =
  'How to approach this call. It was set for this call by those who may set it, and not by whoever speaks below. It gives no rights.'

/**
 * Renders a filled Signature. The user message has a block for each input. No line of an input can look like the name of a block,
 * not even where the input is bare words. The text of an overlay is the first block, `[role]`; without one that block is left out. The
 * system message is the same with and without it.
 * @param role text of the overlay that was resolved for this call; null without one
 */
export function renderSignature({ system, inputs, isBare }: FilledSignature, role: string | null): Prompt {
  if (Object.hasOwn(inputs, ROLE_INPUT))
    throw new Error(`the input ${ROLE_INPUT} of a Signature is filled by overlays alone`)
  if (role === null && isBare === true) {
    const [only = null] = Object.values(inputs)
    return { system, user: typeof only === 'string' ? words(only) : bareJson(canonicalJson(only)) }
  }
  const blocks = Object.entries(inputs).map(([name, value]) => viewBlock(name, value))
  if (role === null) return { system, user: blocks.join('\n\n') }
  return { system, user: [roleBlock(role), ...blocks].join('\n\n') }
}

function roleBlock(role: string): string {
  const [name = '', ...lines] = viewBlock(ROLE_INPUT, role).split('\n')
  return [name, WHAT_ROLE_IS, ...lines].join('\n')
}
