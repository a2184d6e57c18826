import {
  type Decision,
  type ErrorCode,
  type HeadRef,
  type PinnedStack,
  parseMomentId,
  type RefusedTry,
  storableMessage,
} from '@treeos/core'
import { type ComposedMoment, type LoadedMoment, liveQuestions } from '@treeos/reality'
import { digestOf, headsBeyond, prefetch, ReadSet, readAgain, readBeforeStamp } from '@treeos/store'
import { conclude, WorldReader } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'
import type { ModelAnswer } from '../model/model.ts'

/** Another call of the same mind would fare no better. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'INTERNAL',
  'RATE_LIMITED',
  'BEING_ENDED',
  'SERVICE_UNAVAILABLE',
])

interface RefusalInput {
  readonly loaded: LoadedMoment
  readonly stack: PinnedStack
  readonly role: ComposedMoment['role']
}

/**
 * Asks both gates about what a model decided, before its moment is stamped: a refused call is told to it. The
 * stamp keeps the conclusion (`held.concluded`) unless something that it read has changed, and asks again
 * then. A look is not asked about, since its refusal is shown in the next moment.
 * @param decision of the answer, which may have made a call of its prose
 * @returns null when nothing is refused, or another try would not help
 */
export async function refusalOf(
  deps: BeatDeps,
  at: RefusalInput,
  { isMiscall }: Pick<ModelAnswer, 'isMiscall'>,
  decision: ModelAnswer['decision'],
): Promise<RefusedTry | null> {
  if (decision.kind === 'failure')
    return isMiscall === true ? { call: null, code: decision.code, message: decision.message } : null
  if (decision.kind !== 'call' || decision.call.verb === 'see') return null
  return refusalOfCall(deps, at, decision)
}

async function refusalOfCall(
  deps: BeatDeps,
  { loaded, stack, role }: RefusalInput,
  decision: Extract<Decision, { kind: 'call' }>,
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
  if (face === null) return null
  const { call } = decision
  const conclusion = await conclude(
    {
      decision,
      being,
      open,
      content: loaded.content,
      worn: { stack, surface: face.surface, role },
      overlay: loaded.overlays?.call ?? null,
    },
    { reader, live: liveQuestions(db, open.moment, world.source), registry, digest: digestOf },
  )
  if (conclusion.kind === 'act' && held !== undefined) held.concluded = { call, conclusion, reader, world }
  if (conclusion.kind === 'effect-pending' || conclusion.refusal === undefined) return null
  const { code, message } = conclusion.refusal
  if (FINAL.has(code)) return null
  const basis =
    held === undefined
      ? (await readBeforeStamp(db, open.moment)).basis
      : new Map(held.open.basis.heads.map(([reel, seq]) => [reel, seq]))
  const read = [...reader.heads.values()].map(({ reel, seq, hash }): HeadRef => [reel, seq, hash])
  const heads = headsBeyond(basis, read)
  return {
    call,
    code,
    message: storableMessage(message),
    ...(heads.length === 0 ? {} : { heads }),
  }
}
