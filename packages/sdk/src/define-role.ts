import { parseRole, type RoleSpec, type Token } from '@treeos/roles'
import type { PromptInput, Role } from '@treeos/world'

type Entries = readonly (string | Token)[]

/** A role as its author writes it: lists that are absent mean none, and a prompt is text or a function of the face. */
export type RoleInput<CanDo extends Entries = Entries> = Partial<
  Omit<RoleSpec, 'name' | 'prompt' | 'canDo'>
> & {
  readonly name: string
  /** actions by name, and tokens: a name that no extension brings does not compile where the role is registered */
  readonly canDo?: CanDo
  readonly prompt: string | ((moment: PromptInput) => string)
}

/** Where a prompt function stands until its extension is defined, whose version pins it. */
const UNPINNED = 'unpinned@0.0.0'

/**
 * Defines a role. A prompt function must be pure over the face it is given: replay calls it again.
 * @throws {TreeosError} INVALID_INPUT naming the field and what would be right
 */
export function defineRole<const CanDo extends Entries = readonly []>(
  input: RoleInput<CanDo>,
): Role<Extract<CanDo[number], string>> {
  const { prompt } = input
  if (typeof prompt !== 'function') return Object.freeze({ spec: parseRole(input), render: null })
  return Object.freeze({ spec: parseRole({ ...input, prompt: { function: UNPINNED } }), render: prompt })
}
