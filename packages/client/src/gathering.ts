import { closeAsRead, findReply, readOutcomeOfWake } from '@treeos/chain'
import { type BeingName, type Json, type Priority, stanceOf, TreeosError } from '@treeos/core'
import { type Connection, summon } from './acts.ts'

export interface GatherRequest {
  readonly targets: readonly BeingName[]
  readonly content: Json
  readonly as: BeingName
  /** replies that are enough; all of them unless given */
  readonly need?: number
  readonly waitSeconds: number
  readonly priority?: Priority
}

export interface GatherResult {
  /** as many replied as were needed */
  readonly complete: boolean
  /** in the order they came */
  readonly replies: readonly { readonly from: string; readonly correlation: string; readonly content: Json }[]
  /** whose moment is over without a reply, and how it ended */
  readonly silent: readonly {
    readonly from: string
    readonly outcome: string
    readonly reason: string | null
  }[]
  /** who has not answered yet: their replies will lie in the inbox */
  readonly waiting: readonly string[]
}

const POLL_MS = 100
const TARGETS_MAX = 100

/**
 * Asks several beings the same and waits for K of N replies: it is over when there are enough, when no more can come, or
 * when the time is. Each summon begins a thread of its own, which its reply belongs to.
 * @throws {TreeosError} INVALID_INPUT, or the refusal of a summon; those before it were sent
 */
export async function gather(at: Connection, request: GatherRequest): Promise<GatherResult> {
  const { targets, content, as, waitSeconds, priority } = request
  const { length } = new Set(targets).size === targets.length ? targets : []
  const need = request.need ?? length
  if (length === 0 || length > TARGETS_MAX)
    throw new TreeosError('INVALID_INPUT', `a gathering has from 1 to ${TARGETS_MAX} beings, each once`)
  if (!Number.isInteger(need) || need < 1 || need > length)
    throw new TreeosError('INVALID_INPUT', `need is ${need}; it takes a whole number from 1 to ${length}`)
  const until = Date.now() + waitSeconds * 1000
  const open = new Map<string, BeingName>()
  for (const target of targets) {
    const { correlation } = await summon(at, { target, content, as, priority, waitSeconds: null })
    open.set(correlation, target)
  }
  const replies: GatherResult['replies'][number][] = []
  const silent: GatherResult['silent'][number][] = []
  while (replies.length < need && open.size > 0 && Date.now() < until) {
    for (const [correlation, target] of open) {
      if (replies.length === need) break
      const outcome = await readOutcomeOfWake(at.db, correlation) // before its reply: they come in one commit
      const reply = await findReply(at.db, as, correlation)
      if (reply === null && outcome === null) continue
      open.delete(correlation)
      if (reply === null) {
        silent.push({
          from: stanceOf(target),
          outcome: outcome?.kind ?? '',
          reason: outcome?.reason ?? null,
        })
        continue
      }
      await closeAsRead(at.db, reply.id)
      replies.push({ from: stanceOf(target), correlation, content: reply.content })
    }
    if (replies.length < need && open.size > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return { complete: replies.length >= need, replies, silent, waiting: [...open.values()].map(stanceOf) }
}
