import { type ActResult, act } from '@treeos/client'
import type { VerbCall } from '@treeos/core'
import type { ActingOptions } from '../../cli.ts'
import { withServices } from '../../instance/connection.ts'
import { requireStance } from '../../text/input.ts'

/** One act of the being that the options name. @throws {TreeosError} its refusal */
export function actAs(options: ActingOptions, call: VerbCall): Promise<ActResult> {
  const as = requireStance(options.as)
  return withServices(options, (at) => act(at, as, call))
}
