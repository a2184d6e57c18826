import { type PinnedStack, parseMomentId } from '@treeos/core'
import type { DifferentDigests, StackDifference } from '@treeos/protocol'
import { digestOf, listAcceptedDifferences } from '@treeos/store'
import type { BeatDeps } from './deps.ts'
import { withPostgresRetry } from './guard/guard.ts'
import { reportFault } from './moments/fault.ts'

/**
 * Keeps, as a fault of the moment, that its workflow gives another stack than its worker or its record. The
 * run then fails by that name, unless a person accepted just this difference.
 * @returns digests of both stacks: workflow code makes none
 */
export async function reportDifference(
  deps: BeatDeps,
  { moment, recorded, given }: StackDifference,
): Promise<DifferentDigests> {
  const digests = { recorded: digestOfStack(recorded.stack), given: digestOfStack(given.stack) }
  const { being } = parseMomentId(moment)
  const accepted = await withPostgresRetry(deps.observe, () => listAcceptedDifferences(deps.db, being))
  const isAccepted = accepted.some(
    (one) => one.moment === moment && one.recorded === digests.recorded && one.given === digests.given,
  )
  if (isAccepted) return { ...digests, isAccepted }
  const wordOf = (side: 'recorded' | 'given', { skip }: { readonly skip?: string }) =>
    digests[side] ?? `none (${skip})`
  const error = new StackDiffersError(
    `the worker gave the stack ${wordOf('recorded', recorded)}, and the workflow gives ${wordOf('given', given)}`,
  )
  await reportFault(deps, moment, { part: 'stack', attempt: 1, seconds: 0, error, differs: digests })
  return digests
}

const digestOfStack = (stack: PinnedStack | null) => (stack === null ? null : digestOf(stack))

class StackDiffersError extends Error {
  override readonly name = 'StackDiffers'
}
