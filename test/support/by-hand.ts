import { asyncLocalStorage, type Context } from '@temporalio/activity'
import { type BeatDeps, createBeats, newMemory, noopObserver } from '@treeos/activities'
import { canonicalJson, fileBoundsIn, type Json, type MomentId, momentId } from '@treeos/core'
import type { LivedMoments, StampedMoment, WithHints } from '@treeos/protocol'
import { sql } from 'kysely'
import { noOverlays } from './no-overlays.ts'
import type { World } from './world.ts'

/** The beats of a worker, to run by hand in the place of workflows. */
export interface HandWorker extends ReturnType<typeof createBeats> {
  /** moments whose minds wait, each until it is released */
  readonly waiting: Map<MomentId, PromiseWithResolvers<void>>
}

export function handWorker(
  world: World,
  { memory = newMemory(), ...more }: Partial<BeatDeps> = {},
): HandWorker {
  const waiting: HandWorker['waiting'] = new Map()
  const begin = memory.calls.begin.bind(memory.calls)
  memory.calls.begin = (moment, reservation, ask) =>
    begin(moment, reservation, async (at) => {
      await waiting.get(moment)?.promise
      return ask(at)
    })
  const beats = createBeats({
    db: world.workerDb,
    reality: world.reality,
    registry: world.registry,
    memory,
    model: null,
    connections: new Map(),
    privateHosts: [],
    signals: null,
    observe: noopObserver,
    sandbox: null,
    fileBounds: fileBoundsIn({}),
    secret: () => null,
    overlays: noOverlays,
    ring: () => undefined,
    releaseAfter: () => undefined,
    runs: async () => true,
    reschedule: () => undefined,
    handOn: { worker: 'by hand', secondsMax: 0, release: () => undefined },
    ...more,
  })
  return { ...beats, waiting }
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

/** How a run would ask. @property room how many moments the worker may live */
interface HandRun {
  readonly room?: number
  readonly program?: string | null
  readonly cancelling?: AbortController
}

/** Lives moments from this one on, as the activity of a run. */
export function liveByHand(
  worker: HandWorker,
  { being, generation, n }: HandMoment,
  { room = 1, program = null, cancelling }: HandRun = {},
): Promise<WithHints<LivedMoments>> {
  return asActivity(() => worker.liveMoments({ being, generation, n, program, room }, TOLD), cancelling)
}

/** Lives one moment. @returns what it ended with */
export async function stampByHand(worker: HandWorker, moment: HandMoment): Promise<StampedMoment> {
  return stampedIn(await liveByHand(worker, moment))
}

export function stampedIn({ value }: WithHints<LivedMoments>): StampedMoment {
  const [first] = value.lived
  if (first === undefined) throw new Error(`no moment was lived: ${JSON.stringify(value.stop)}`)
  return first.ended
}

/** A moment that was opened, and whose mind waits. */
interface OpenByHand {
  /** Lets the mind decide. @returns what the activity does then */
  end(): Promise<WithHints<LivedMoments>>
}

/** Opens a moment that nobody decided yet, and waits until its mind is asked. */
export async function openByHand(
  worker: HandWorker,
  moment: HandMoment,
  run: HandRun = {},
): Promise<OpenByHand> {
  const release = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const gate = {
    ...release,
    get promise() {
      asked.resolve()
      return release.promise
    },
  }
  worker.waiting.set(moment.moment, gate)
  const lived = liveByHand(worker, moment, run)
  lived.catch(() => undefined) // `end` tells
  await Promise.race([asked.promise, lived])
  const end = () => {
    release.resolve()
    return lived
  }
  return { end }
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
