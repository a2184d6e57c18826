/** Reads that a mind wrote in one answer: each is made in a moment of its own, before the mind is asked again. */
import {
  canonicalJson,
  type DoCall,
  isQueuedRead,
  type Json,
  LIMITS,
  readPath,
  utf8Length,
  type VerbCall,
} from '@treeos/core'
import type { WorldReader } from '../read/reader.ts'
import type { DecidedMoment } from './moment.ts'

/** Namespace of the quality of `/` that holds what the operator accepted: `tools.SERVER.TOOL` is `{digest, read?}`. */
export const ACCEPTED_TOOLS = 'tools'

/** Bytes of all calls of an answer: the wake that holds them shows also what they gave. */
const QUEUE_BYTES_MAX = 16 * 1024

/**
 * The other calls of an answer, where they may be queued behind its first one: all are calls of different reads.
 * @param isRead whether an operation only reads, as a person declared
 */
export function queueOf(
  calls: readonly VerbCall[],
  isRead: (operation: string) => boolean,
): readonly DoCall[] | null {
  const reads = calls.flatMap((call) => (call.verb === 'do' && isRead(call.operation) ? [call] : []))
  const texts = reads.map((call) => canonicalJson(call as unknown as Json))
  if (reads.length < calls.length || utf8Length(texts.join('')) > QUEUE_BYTES_MAX) return null
  const [, ...queue] = reads.filter((_, i) => texts.indexOf(texts[i] ?? '') === i)
  return queue.length === 0 || queue.length > LIMITS.readsMax ? null : queue
}

/** The calls that are still to be made of the answer to which a moment belongs, as they are recorded. */
export function queuedIn({ open, content, decision }: DecidedMoment): readonly Json[] {
  if (decision?.kind !== 'call') return []
  if (!isQueuedRead(open.wake)) return (decision.reads ?? []) as unknown as readonly Json[]
  const queued = readPath(content, ['queued'])
  return Array.isArray(queued) ? queued : []
}

/** Whether all of these call tools of which the record says that the operator declared them as reads. */
export async function areDeclaredReads(calls: readonly Json[], reader: WorldReader): Promise<boolean> {
  const root = await reader.space('/')
  return calls.every((call) => {
    const operation = readPath(call, ['operation'])
    if (readPath(call, ['verb']) !== 'do' || typeof operation !== 'string') return false
    const [server = '', tool = ''] = operation.split(/:(.*)/s)
    return readPath(root?.qualities ?? null, [ACCEPTED_TOOLS, server, tool, 'read']) === true
  })
}
