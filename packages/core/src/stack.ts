import type { RoleName } from './names.ts'

/** Hex sha256 of a value's canonical form under its own tag. */
export type Digest = string

/**
 * The roles of one moment: the primary, then the modifiers in clause order. They do not change during the
 * moment.
 */
export interface Stack {
  readonly primary: RoleName
  readonly stacked: readonly RoleName[]
}

export const COGNITIONS = ['llm', 'human', 'scripted'] as const
/** Who decides for a being. It belongs to the being, not to its roles. */
export type Cognition = (typeof COGNITIONS)[number]

export const VERBS = ['see', 'do', 'summon', 'be'] as const
export type Verb = (typeof VERBS)[number]

/** A role of a stack, pinned by the digest of its spec. */
export interface PinnedRole {
  readonly name: RoleName
  readonly digest: Digest
}

/** A stack as it is recorded: names with the digests of the specs. */
export interface PinnedStack {
  readonly primary: PinnedRole
  readonly stacked: readonly PinnedRole[]
}
