import { asyncLocalStorage, type Context } from '@temporalio/activity'
import { type BeatDeps, createBeats, newMemory, noopObserver } from '@treeos/activities'
import { canonicalJson, type Json, momentId } from '@treeos/core'
import type { FinishInput, OpenedMoment } from '@treeos/protocol'
import { assignStack } from '@treeos/world'
import { sql } from 'kysely'
import { noOverlays } from './no-overlays.ts'
import type { World } from './world.ts'

export type HandWorker = ReturnType<typeof createBeats>

/** The beats of a worker, to run by hand in the place of workflows. */
export function handWorker(world: World, more: Partial<BeatDeps> = {}): HandWorker {
  return createBeats({
    db: world.workerDb,
    reality: world.reality,
    registry: world.registry,
    memory: newMemory(),
    model: null,
    connections: new Map(),
    triesMax: 0,
    privateHosts: [],
    signals: null,
    observe: noopObserver,
    sandbox: null,
    secret: () => null,
    overlays: noOverlays,
    ring: () => undefined,
    runs: async () => true,
    reschedule: () => undefined,
    ...more,
  })
}

/** A moment that a test runs by hand. */
export interface HandMoment {
  readonly being: string
  readonly generation: number
  readonly n: number
  readonly moment: string
}

/** Gives a being that no workflow runs its first generation. */
export async function beginByHand(world: World, being: string): Promise<HandMoment> {
  const { generation, n } = (await handWorker(world).beginLife({ being, chain: `${being}-1` })).value
  return { being, generation, n, moment: momentId(being, generation, n) }
}

export const nextOf = ({ being, generation, n }: HandMoment): HandMoment => ({
  being,
  generation,
  n: n + 1,
  moment: momentId(being, generation, n + 1),
})

/** Puts a summon of the operator into an inbox without a ring, so that no workflow starts. */
export async function tellByHand(world: World, being: string, id: string, content: Json): Promise<void> {
  await sql`
    insert into treeos.inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root)
    values (${id}, ${being}, 'summon', 1, 'operator', 'operator', 'human', ${Buffer.from(canonicalJson(content))}, ${id})`.execute(
    world.owner,
  )
}

/** What a workflow tells that has heard three signals. */
const TOLD = { heard: 3 }

export async function openByHand(
  worker: HandWorker,
  moment: HandMoment,
  mayHold = true,
): Promise<OpenedMoment> {
  const { value } = await worker.openMoment({ ...moment, program: null, mayHold }, TOLD)
  return value as OpenedMoment
}

/** What the workflow would give `finishMoment`. */
export function finishingOf(moment: HandMoment, opened: OpenedMoment): FinishInput {
  const { stack, skip } = assignStack(opened.program!, opened)
  return { ...moment, stack, skip, asks: stack !== null, open: opened.open }
}

export const finishByHand = (worker: HandWorker, moment: HandMoment, opened: OpenedMoment) =>
  asActivity(async () => (await worker.finishMoment(finishingOf(moment, opened), { ...TOLD, room: 0 })).value)

/** The same in a run that opens the next moment in the same activity. @param room how many of the next moments are lived there, too */
export const finishAndOpenByHand = (
  worker: HandWorker,
  moment: HandMoment,
  opened: OpenedMoment,
  following = nextOf(moment),
  { cancelling = new AbortController(), room = 0 } = {},
) => {
  const next = { ...following, program: null, mayHold: true } as const
  const told = { ...TOLD, room }
  return asActivity(() => worker.finishMoment({ ...finishingOf(moment, opened), next }, told), cancelling)
}

/** Runs work that asks for the context of its activity. */
const asActivity = <T>(work: () => Promise<T>, cancelling = new AbortController()): Promise<T> =>
  asyncLocalStorage.run(
    {
      cancellationSignal: cancelling.signal,
      info: { workflowExecution: { workflowId: 'by hand', runId: 'by hand' } },
    } as unknown as Context,
    work,
  )
