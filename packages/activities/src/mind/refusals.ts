import {
  type ErrorCode,
  type HeadRef,
  type PinnedStack,
  parseMomentId,
  type RefusedTry,
  TreeosError,
  type VerbCall,
} from '@treeos/core'
import { actingFor, type ComposedMoment, type LoadedMoment } from '@treeos/reality'
import { headsBeyond, prefetch, ReadSet, readAgain, readBeforeStamp } from '@treeos/store'
import { decideCall, WorldReader } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'
import { messageOf } from '../guard/failure-decision.ts'
import type { ModelAnswer } from '../model/model.ts'
import { wakeToAnswer } from '../moments/wake-to-answer.ts'

/** Another call of the same mind would fare no better. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'INTERNAL',
  'RATE_LIMITED',
  'BEING_ENDED',
  'SERVICE_UNAVAILABLE',
])

interface Judging {
  readonly loaded: LoadedMoment
  readonly stack: PinnedStack
  readonly role: ComposedMoment['role']
}

/**
 * Asks both gates about what a model decided, before its moment is stamped: a refused call is told to it. The stamp asks them again. A
 * look is not asked about, since its refusal is shown in the next moment.
 * @param decision of the answer, which may have made a call of its prose
 * @returns null when nothing is refused, or another try would not help
 */
export async function refusalOf(
  deps: BeatDeps,
  at: Judging,
  { isMiscall }: Pick<ModelAnswer, 'isMiscall'>,
  decision: ModelAnswer['decision'],
): Promise<RefusedTry | null> {
  if (decision.kind === 'failure')
    return isMiscall === true ? { call: null, code: decision.code, message: decision.message } : null
  if (decision.kind !== 'call' || decision.call.verb === 'see') return null
  return refusalOfCall(deps, at, decision.call)
}

async function refusalOfCall(
  deps: BeatDeps,
  { loaded, stack, role }: Judging,
  call: VerbCall,
): Promise<RefusedTry | null> {
  const { db, memory, reality, registry } = deps
  const { record: open, face } = loaded
  const { being } = parseMomentId(open.moment)
  const held = memory.moments.held(open.moment)
  const viewer = { reality: reality.id, being }
  const expected = memory.stamped.get(being) ?? new ReadSet()
  const world =
    held === undefined ? await prefetch(db, viewer, expected) : readAgain(db, viewer, held.reading)
  const reader = new WorldReader(world.source)
  const me = await reader.being(being)
  if (me === null || face === null) return null
  const wake = await wakeToAnswer(db, being, loaded)
  try {
    const act = await decideCall(
      call,
      actingFor({ db, registry }, { reader, me, open, stack, surface: face.surface, role, wake }),
    )
    if (held !== undefined && act.kind === 'act') held.tried = { call, act, reader, world }
    return null
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    if (FINAL.has(error.code)) return null
    const basis =
      held === undefined
        ? (await readBeforeStamp(db, open.moment)).basis
        : new Map(held.open.basis.heads.map(([reel, seq]) => [reel, seq]))
    const read = [...reader.heads.values()].map(({ reel, seq, hash }): HeadRef => [reel, seq, hash])
    const heads = headsBeyond(basis, read)
    return {
      call,
      code: error.code,
      message: messageOf(error.message),
      ...(heads.length === 0 ? {} : { heads }),
    }
  }
}
