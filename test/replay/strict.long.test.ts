import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import proto from '@temporalio/proto'
import { summon } from '@treeos/client'
import { taskQueueOf } from '@treeos/core'
import { Archivist, type History, readArchive } from '@treeos/host'
import { BEING_WORKFLOW, beingWorkflowId } from '@treeos/protocol'
import { fetchRuns, HistoryReplayer, replay, replayFromTemporal, type WorkflowRun } from '@treeos/replay'
import { listOutcomes } from '@treeos/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/life.ts'
import { openReplayer, replayBundle } from '../support/replays.ts'
import { useModelServer, useWorld } from '../support/use-world.ts'
import type { World } from '../support/world.ts'

const MOMENTS = 12
/** The model answers the question of this number, and those after it, only in an activity of its own. */
const SLOW = 9
const answerLate = () => sleep(700, undefined)

describe('the strict recorder', () => {
  const model = useModelServer()
  const world = useWorld({ modelServer: model, shortMindMs: 500 })
  let runs: WorkflowRun[]
  let replayer: HistoryReplayer
  const zone = process.env.TZ

  beforeAll(async () => {
    const { temporal: client, reality } = world
    await client.workflow.start(BEING_WORKFLOW, {
      workflowId: beingWorkflowId(reality.name, 'librarian'),
      taskQueue: taskQueueOf(reality.name),
      args: [{ reality: reality.name, being: 'librarian', historyEventsMax: 20 }],
    })
    for (let n = 1; n <= MOMENTS; n++) {
      if (n === SLOW) model.script(answerLate)
      await summon(world, { target: 'librarian', content: `question ${n}`, as: 'operator', waitSeconds: 20 })
    }
    replayer = await openReplayer()
    const handle = client.workflow.getHandle(beingWorkflowId(reality.name, 'librarian'))
    // The task of the last moment ends after its answer is known.
    await until(async () => (await handle.describe()).raw.pendingWorkflowTask == null, { seconds: 60 })
    runs = await fetchRuns(client, reality.name, 'librarian', null)
  })
  afterAll(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  const replayed = async (changed = runs, by = replayer) =>
    replayFromTemporal(by, 'librarian', changed, await listOutcomes(world.db, 'librarian'))

  it('has runs that continued as new, and commands of every kind we make', () => {
    expect(runs.length).toBeGreaterThan(2)
    expect(world.errors).toEqual([])
  })

  it.each(['UTC', 'Asia/Tokyo', 'America/St_Johns'])(
    'finds nothing when the host stands in %s',
    async (timeZone) => {
      process.env.TZ = timeZone
      expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(timeZone)
      const there = await HistoryReplayer.open(replayBundle()) // its thread takes the zone when it starts
      expect(await replayed(runs, there)).toEqual([])
      await there.close()
    },
  )

  it.each([
    { what: 'an activity’s argument', edit: editActivity, field: /^(command|stack)/ },
    { what: 'a local activity’s argument (its digest)', edit: editLocalArguments, field: /^command/ },
    { what: 'what continue-as-new hands on', edit: editContinue, field: /^command/ },
    { what: 'a search attribute', edit: editSearch, field: /^command/ },
    { what: 'a recorded slice', edit: editStamped, field: /^record/ },
  ])('fails when one byte of $what differs', async ({ edit, field }) => {
    const changed = runs.map((run) => ({ ...run, history: copy(run.history) }))
    expect(changed.some((run) => edit(run.history))).toBe(true)
    const mismatches = await replayed(changed)
    expect(mismatches.some((mismatch) => field.test(mismatch.field))).toBe(true)
  })

  it('misses the last moment, unless its run was terminated in the middle of its task', async () => {
    const last = (await listOutcomes(world.db, 'librarian')).at(-1)?.n
    const bellIn = (run: WorkflowRun) =>
      events(run.history).findLastIndex((event) => event.workflowExecutionSignaledEventAttributes != null)
    // a run that began in silence may follow
    const rung = runs.slice(0, runs.findLastIndex((run) => bellIn(run) >= 0) + 1)
    const bell = bellIn(rung.at(-1)!)
    const kept = events(rung.at(-1)!.history)
    const began =
      bell + kept.slice(bell).findIndex((event) => event.workflowTaskStartedEventAttributes != null)
    const cut = (after: number, terminated: boolean) =>
      rung.map((run, i) => {
        if (i < rung.length - 1) return run
        const history = copy(run.history)
        const end = copy({ events: [kept[after]!] } as History).events![0]!
        end.eventType = proto.temporal.api.enums.v1.EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED
        end.workflowExecutionSignaledEventAttributes = null
        end.workflowTaskCompletedEventAttributes = null
        end.workflowExecutionTerminatedEventAttributes = { reason: 'a test' }
        history.events = [...events(history).slice(0, after), ...(terminated ? [end] : [])]
        return { ...run, history }
      })
    expect(await replayed(cut(began + 1, true))).toEqual([])
    for (const [after, terminated] of [
      [began + 1, false],
      [bell, true],
      [bell, false],
    ] as const)
      expect(await replayed(cut(after, terminated))).toMatchObject([
        { n: last, field: 'history', temporal: null },
      ])
  })

  it('names the moment when a record differs from what is computed again', async () => {
    await world.owner.connection().execute(async (owner) => {
      await sqlTamper(owner)
    })
    const { identical, mismatches } = await replay(world, {
      beings: ['librarian'],
      from: 'both',
      bundle: replayBundle(),
    })
    expect(identical).toBe(false)
    expect(mismatches.map(({ being, n }) => ({ being, n }))).toContainEqual({ being: 'librarian', n: 3 })
  })

  it('replays from the archive what Temporal has no more', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'treeos-archive-'))
    const archivist = new Archivist({
      client: world.temporal,
      reality: world.reality.name,
      folder,
      keepMs: null,
      onError: (_where, error) => {
        throw error
      },
    })
    const ended = runs.slice(0, -1) // the last one may have ended by now
    const sweep = () => archivist.sweep().then(() => readArchive(folder, 'librarian'))
    await expect
      .poll(async () => [...(await sweep()).keys()], { timeout: 10_000 })
      .toEqual(expect.arrayContaining(ended.map((run) => run.runId)))
    const archived = await readArchive(folder, 'librarian')
    for (const run of ended) {
      expect(copy(archived.get(run.runId) as History)).toEqual(copy(run.history))
    }
    await rm(folder, { recursive: true })
  })
})

const copy = (history: History): History =>
  proto.temporal.api.history.v1.History.decode(proto.temporal.api.history.v1.History.encode(history).finish())

type Event = NonNullable<History['events']>[number]
const events = (history: History): Event[] => history.events ?? []

/** Changes the first payload that `find` yields. @returns false when there is none */
function edit(
  history: History,
  find: (event: Event) => { data?: Uint8Array | null } | null | undefined,
  change: [string, string],
) {
  for (const event of events(history)) {
    const payload = find(event)
    const text = Buffer.from(payload?.data ?? []).toString('utf8')
    if (payload && text.includes(change[0])) {
      payload.data = Buffer.from(text.replace(change[0], change[1]))
      return true
    }
  }
  return false
}

function editActivity(history: History) {
  return edit(history, (event) => event.activityTaskScheduledEventAttributes?.input?.payloads?.[0], [
    '"librarian"',
    '"Librarian"',
  ])
}
function editLocalArguments(history: History) {
  return edit(history, (event) => event.markerRecordedEventAttributes?.details?.result?.payloads?.[0], [
    '"args":"',
    '"args":"0',
  ])
}
function editContinue(history: History) {
  return edit(
    history,
    (event) => event.workflowExecutionContinuedAsNewEventAttributes?.input?.payloads?.[0],
    ['"n":', '"n":1'],
  )
}
function editSearch(history: History) {
  return edit(
    history,
    (event) =>
      event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields?.TreeosRole,
    ['librarian', 'Librarian'],
  )
}
function editStamped(history: History) {
  return edit(history, (event) => event.markerRecordedEventAttributes?.details?.result?.payloads?.[0], [
    '"record":"',
    '"record":"0',
  ])
}

async function sqlTamper(owner: World['owner']) {
  const { sql } = await import('kysely')
  await sql`set session_replication_role = replica`.execute(owner)
  await sql`update treeos.moment_outcome
    set record = convert_to(replace(convert_from(record, 'UTF8'), '"name":"librarian"', '"name":"resident"'), 'UTF8')
    where being = 'librarian' and n = 3`.execute(owner)
  await sql`set session_replication_role = default`.execute(owner)
}
