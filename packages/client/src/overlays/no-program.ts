import { TreeosError } from '@treeos/core'

/** Who sets an overlay, as far as it is known. */
export interface OverlaySetter {
  /** a program outside acts here, by an access token or over MCP */
  readonly isProgram?: true
}

/**
 * An overlay speaks with authority to later calls of models, and its text is nowhere recorded. A model that has
 * just read words from outside may hold the token of a program, so no program sets one or takes one away.
 * @throws {TreeosError} FORBIDDEN
 */
export function requireNoProgram({ isProgram }: OverlaySetter): void {
  if (isProgram === true)
    throw new TreeosError(
      'FORBIDDEN',
      'a program sets no overlay of a thread, a channel, an account or the workspace: its person does, on the page or at a terminal of its own',
      { reason: 'token' },
    )
}
