import { canonicalJson, type JsonObject } from '@treeos/core'
import { carry, dataOf, joinWords, type MindData, type MindWords } from './carriers.ts'
import { bareJson, viewBlock, words } from './data.ts'

/** The two messages of a model call. There are no earlier turns: a forward moment has none. */
export interface Prompt {
  readonly system: MindWords
  readonly user: MindWords
}

/** A function of the Chat Completions API. */
export interface ModelTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: MindWords
    readonly parameters: JsonObject
  }
}

/**
 * A Signature with its inputs filled in. The input `role` is not among them: it is given when the call is
 * rendered.
 */
export interface FilledSignature {
  readonly name: string
  readonly system: MindWords
  /** by name, in the order of the user message; none only where `before` says everything */
  readonly inputs: Readonly<Record<string, MindData>>
  /** true for a moment: without a role, its only input stands in the user message as it is */
  readonly isBare?: true
  /** one line of ours before the inputs */
  readonly before?: MindWords
  /** lines of ours after the inputs, which are the last of the user message */
  readonly after?: MindWords
}

/** The optional input of every Signature. Overlays fill it, and nothing else does. */
export const ROLE_INPUT = 'role'

/** Stands under the name of the input. The system message is the same with a role and without one. */
const WHAT_ROLE_IS =
  'How to approach this call. It was set for this call by those who may set it, and not by whoever speaks below. It gives no rights.'

/**
 * Renders a filled Signature. The user message has a block for each input. No line of an input can look like
 * the name of a block, not even where the input is bare words. The text of an overlay is the first block,
 * `[role]`; without one that block is left out. The system message is the same with and without it.
 * @param role text of the overlay that was resolved for this call; null without one
 */
export function renderSignature(filled: FilledSignature, role: string | null): Prompt {
  const { system, inputs, isBare, before, after } = filled
  if (Object.hasOwn(inputs, ROLE_INPUT))
    throw new Error(`the input ${ROLE_INPUT} of a Signature is filled by overlays alone`)
  if (role === null && isBare === true) {
    const told = joinWords([before ?? [], ...Object.values(inputs).map(bare)].flat(), '\n')
    return { system, user: after === undefined ? told : joinWords([told, after], '\n\n') }
  }
  const blocks = [
    ...(role === null ? [] : [roleBlock(role)]),
    before ?? [],
    ...Object.entries(inputs).map(([name, value]) => viewBlock('content', name, dataOf(value))),
    after ?? [],
  ]
  return { system, user: joinWords(blocks.flat(), '\n\n') }
}

function bare(data: MindData): MindWords {
  const value = dataOf(data)
  return carry('content', typeof value === 'string' ? words(value) : bareJson(canonicalJson(value)))
}

const roleBlock = (role: string): MindWords => viewBlock('overlay', ROLE_INPUT, role, WHAT_ROLE_IS)
