import type { RoleName } from '@treeos/core/workflow'
import type { OpenedMoment } from '@treeos/protocol/workflow'
import { type CompiledFlow, compileFlow } from '@treeos/roles/workflow'

/** A compiled flow, with what its evaluation needs to know about each role. */
export interface CompiledProgram {
  readonly digest: string
  readonly flow: CompiledFlow
  readonly defaultRole: RoleName | null
  readonly roles: NonNullable<OpenedMoment['program']>['roles']
}

/**
 * Returns the program of a moment: the held one, or the one that `openMoment` returned, compiled.
 * @throws {Error} when there is neither
 */
export function programFor(held: CompiledProgram | null, opened: OpenedMoment): CompiledProgram {
  const { program, programDigest } = opened
  if (program === undefined || programDigest === undefined) {
    if (held !== null) return held
    throw new Error('openMoment returned no program, and this run holds none')
  }
  return {
    digest: programDigest,
    flow: compileFlow(program.flow),
    defaultRole: program.defaultRole,
    roles: program.roles,
  }
}
