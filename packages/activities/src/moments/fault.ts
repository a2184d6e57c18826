import { type MomentId, messageOfThrown, readThrown, storableMessage } from '@treeos/core'
import { type Db, type FaultPart, recordFault, type StackDigests } from '@treeos/store'
import type { Observer } from '../guard/guard.ts'
import { withPostgresRetry } from '../guard/guard.ts'
import type { OpenMoments } from './open-moments.ts'

const CAUSES_MAX = 3
const STACK_CHARS_MAX = 8000

/**
 * The class, message and causes of an error: `TypeError: fetch failed: connect ECONNREFUSED 127.0.0.1:9`. It
 * may quote contents, so it never goes into Temporal's history. It never throws.
 */
export const describeError = (error: unknown): string =>
  readThrown(() => description(error), 'something that cannot be read')

function description(error: unknown): string {
  const said: string[] = []
  for (let at = error, deep = 0; at !== undefined && at !== null && deep <= CAUSES_MAX; deep++) {
    said.push(sayingOf(at, deep === 0))
    at = at instanceof Error ? at.cause : undefined
  }
  return storableMessage(said.filter((text) => text !== '').join(': '))
}

function sayingOf(error: unknown, isFirst: boolean): string {
  if (!(error instanceof Error)) return messageOfThrown(error)
  const { code } = error as { code?: unknown }
  // A refused connection comes as an AggregateError, whose message is empty.
  const message = error.message || (typeof code === 'string' ? code : '')
  return isFirst ? [error.name, message].filter((text) => text !== '').join(': ') : message
}

/** What a person reads to find the line. */
const stackOf = (error: unknown): string | null =>
  readThrown(() => {
    if (!(error instanceof Error) || error.stack === undefined) return null
    return error.stack.slice(0, STACK_CHARS_MAX).toWellFormed().replaceAll('\0', '\ufffd')
  }, null)

/** Where errors of attempts go. */
export interface FaultDeps {
  readonly db: Db
  readonly observe: Observer
  /** only faults of stored moments are kept */
  readonly memory: { readonly moments: OpenMoments }
}

/** Logs the error of one attempt, and keeps it for `treeos explain`. */
export async function reportFault(
  deps: FaultDeps,
  moment: MomentId,
  fault: {
    readonly part: FaultPart
    readonly attempt: number
    readonly seconds: number
    readonly error: unknown
    /** of `stack` */
    readonly differs?: StackDigests
  },
): Promise<void> {
  const { error, differs = null, ...rest } = fault
  // The class and the frames of a lost model call are ours and say nothing.
  const isLost = rest.part === 'model' && error instanceof Error // ours, so it can be read
  const told = isLost
    ? { ...rest, message: error.message, stack: null }
    : { ...rest, message: describeError(error), stack: stackOf(error) }
  deps.observe.fault(moment, told, deps.memory.moments.find(moment)?.loaded.record.wake.root)
  await withPostgresRetry(deps.observe, async () => {
    const held = deps.memory.moments.held(moment)
    if (held !== undefined) await deps.memory.moments.store(deps.db, held)
    await recordFault(deps.db, moment, told, differs)
  })
}
