import { parseRole, type RoleSpec, type Token } from '@treeos/roles'
import type { PromptInput, Role } from '@treeos/world'

type Entries = readonly (string | Token)[]

/**
 * A role as its author writes it. A list that is left out is empty. The prompt is text or a pure function of
 * the face.
 */
export type RoleInput<CanDo extends Entries = Entries> = Partial<
  Omit<RoleSpec, 'name' | 'prompt' | 'canDo'>
> & {
  readonly name: string
  /**
   * names of operations, and relationship entries. An unknown name is a type error where the extension is
   * defined
   */
  readonly canDo?: CanDo
  readonly prompt: string | ((moment: PromptInput) => string)
}

/** Placeholder for a prompt function until its extension is defined; the extension's version replaces it. */
const UNPINNED = 'unpinned@0.0.0'

/**
 * Defines a role. A prompt function must be pure: replay calls it again with the same face.
 * @throws {TreeosError} INVALID_INPUT naming the field and what it takes
 * @example
 * const judge = defineRole({
 *   name: 'court:judge',
 *   canSee: ['~'],
 *   canDo: ['court:rule'],
 *   canSummon: ['@clerk'],
 *   prompt: ({ me }) => `You are ${me.name}, the judge. Rule once.`,
 * })
 */
export function defineRole<const CanDo extends Entries = readonly []>(
  input: RoleInput<CanDo>,
): Role<Extract<CanDo[number], string>> {
  const { prompt } = input
  if (typeof prompt !== 'function') return Object.freeze({ spec: parseRole(input), render: null })
  return Object.freeze({ spec: parseRole({ ...input, prompt: { function: UNPINNED } }), render: prompt })
}
