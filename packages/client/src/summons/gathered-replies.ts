import { type BeingName, type Json, type Priority, stanceOf, TreeosError } from '@treeos/core'
import { closeEntries } from '@treeos/store'
import type { Connection } from './connection.ts'
import { endReader, findEnd } from './ends.ts'
import { summon } from './summon.ts'

export interface GatherRequest {
  readonly targets: readonly BeingName[]
  readonly content: Json
  readonly as: BeingName
  /** number of replies to wait for; default all */
  readonly need?: number | undefined
  readonly waitSeconds: number
  readonly priority?: Priority | undefined
}

export interface GatherResult {
  /** true when at least `need` beings replied */
  readonly complete: boolean
  /** in the order of arrival */
  readonly replies: readonly { readonly from: string; readonly correlation: string; readonly content: Json }[]
  /**
   * Beings that send no reply: the outcome of their moment; `closed` when a person closed the summon, or it
   * was cut; `refused` when they could not be asked, with the code as the reason.
   */
  readonly silent: readonly {
    readonly from: string
    readonly outcome: string
    readonly reason: string | null
  }[]
  /** stances of the beings that have not answered yet; their replies will arrive in the inbox */
  readonly waiting: readonly string[]
}

const POLL_MS = 100
const TARGETS_MAX = 100

/**
 * Sends the same content to several beings and waits for K of N replies. Ends when enough replies have
 * arrived, when no more can arrive, or after `waitSeconds`. Each summon starts a thread of its own, which its
 * reply belongs to.
 * @throws {TreeosError} INVALID_INPUT; the last refusal when no summon could be sent; SERVICE_UNAVAILABLE or
 *   TIMEOUT, after the summons before it were sent
 */
export async function gather(at: Connection, request: GatherRequest): Promise<GatherResult> {
  const { targets, content, as, waitSeconds, priority } = request
  const { length } = new Set(targets).size === targets.length ? targets : []
  const need = request.need ?? length
  if (length === 0 || length > TARGETS_MAX)
    throw new TreeosError('INVALID_INPUT', `gather takes from 1 to ${TARGETS_MAX} different beings`)
  if (!Number.isInteger(need) || need < 1 || need > length)
    throw new TreeosError('INVALID_INPUT', `need is ${need}; it takes a whole number from 1 to ${length}`)
  const until = Date.now() + waitSeconds * 1000
  const reader = endReader(at.db)
  /** by correlation: whom it was sent to, and the wake whose end is waited for */
  const open = new Map<string, { readonly target: BeingName; readonly wake: string }>()
  const replies: GatherResult['replies'][number][] = []
  const silent: GatherResult['silent'][number][] = []
  for (const target of targets) {
    try {
      const { correlation } = await summon(at, { target, content, as, priority, waitSeconds: null })
      open.set(correlation, { target, wake: correlation })
    } catch (error) {
      if (!isRefusal(error) || silent.length === length - 1) throw error
      silent.push({ from: stanceOf(target), outcome: 'refused', reason: error.code })
    }
  }
  while (replies.length < need && open.size > 0 && Date.now() < until) {
    for (const [correlation, { target, wake }] of open) {
      if (replies.length === need) break
      const found = await findEnd(reader, { asker: as, being: target, correlation }, wake)
      if (!('outcome' in found)) {
        open.set(correlation, { target, wake: found.wake })
        continue
      }
      open.delete(correlation)
      const { outcome, reply, why } = found
      if (reply === null) {
        const reason = outcome === null ? (why?.message ?? null) : outcome.reason
        silent.push({ from: stanceOf(target), outcome: outcome?.kind ?? 'closed', reason })
        continue
      }
      await closeEntries(at.db, as, [reply.id], 'read')
      replies.push({ from: stanceOf(target), correlation, content: reply.content })
    }
    if (replies.length < need && open.size > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return {
    complete: replies.length >= need,
    replies,
    silent,
    waiting: [...open.values()].map(({ target }) => stanceOf(target)),
  }
}

/** Whether only this being may not be asked. Without a service nobody can be. */
const isRefusal = (error: unknown): error is TreeosError =>
  error instanceof TreeosError && !['SERVICE_UNAVAILABLE', 'TIMEOUT'].includes(error.code)
