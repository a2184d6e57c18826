import type { RoleName } from '@treeos/core/workflow'
import type { OpenedMoment } from '@treeos/protocol/workflow'
import { type CompiledFlow, compileFlow } from '@treeos/roles/workflow'

/** A flow compiled once, with what an evaluation must know of its roles. */
export interface Program {
  readonly digest: string
  readonly flow: CompiledFlow
  readonly defaultRole: RoleName | null
  readonly roles: NonNullable<OpenedMoment['program']>['roles']
}

/** Keeps the program in hand, unless the moment brought another one. */
export function programFor(held: Program | null, opened: OpenedMoment): Program {
  if (opened.program === null) {
    if (held?.digest === opened.programDigest) return held
    throw new Error(`program ${opened.programDigest} was neither held nor brought`)
  }
  return {
    digest: opened.programDigest,
    flow: compileFlow(opened.program.flow),
    defaultRole: opened.program.defaultRole,
    roles: opened.program.roles,
  }
}
