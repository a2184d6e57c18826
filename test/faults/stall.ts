/** Describes the state of an experiment that stalled. */
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@temporalio/client'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import type { temporal } from '@temporalio/proto'
import { tail } from '@treeos/local'
import { beingWorkflowId } from '@treeos/protocol'
import type { Reality, StoreDb } from '@treeos/store'
import { type Kysely, type RawBuilder, sql } from 'kysely'

interface Place {
  readonly db: Kysely<StoreDb>
  readonly temporal: Client
  readonly reality: Reality
  readonly ground: { readonly dataDir: string; readonly workerLog: string }
}

const ROWS_MAX = 30
const BEINGS_MAX = 10
const ANSWER_MS = 5000
const EVENTS_SHOWN = 12
/** Folder for the histories of beings that did not answer. */
const KEPT = join(tmpdir(), 'treeos-stalled')

export async function describeStall(
  at: Place,
  open: readonly { id: string; person: string; target: string | null }[],
): Promise<string> {
  const beings = [...new Set(open.flatMap(({ person, target }) => [person, target ?? person]))]
  const parts = await Promise.all([
    section('open questions', async () =>
      open.slice(0, ROWS_MAX).map(({ id, person, target }) => `${id} @${person} → @${target}`),
    ),
    section('workflows', () =>
      Promise.all(beings.slice(0, BEINGS_MAX).map((being) => workflowState(at, being))),
    ),
    section('open wakes', () =>
      table(
        at.db,
        sql`
        select id, being, kind, claimed_by, age, now() - at as waited from treeos.inbox
        where closed_by is null and treeos.wakes(being, kind) order by age limit ${ROWS_MAX}`,
      ),
    ),
    section('moments under way', () =>
      table(
        at.db,
        sql`
        select o.moment, o.wake, d.kind as decided from treeos.moment_open o
        left join treeos.moment_decision d using (moment)
        where not exists (select from treeos.moment_outcome e where e.moment = o.moment) limit ${ROWS_MAX}`,
      ),
    ),
    section('lives', () =>
      table(at.db, sql`select being, max(generation) as generation from treeos.life group by being`),
    ),
    section('postgres', () =>
      table(
        at.db,
        sql`
        select a.pid, a.state, a.wait_event_type, a.wait_event, now() - a.query_start as since,
          pg_blocking_pids(a.pid) as blocked_by, left(a.query, 80) as query
        from pg_stat_activity a where a.datname = current_database() and a.pid <> pg_backend_pid()
          and a.state <> 'idle' limit ${ROWS_MAX}`,
      ),
    ),
    section('locks waited for', () =>
      table(
        at.db,
        sql`
        select pid, locktype, relation::regclass, mode from pg_locks where not granted limit ${ROWS_MAX}`,
      ),
    ),
    section('workers', async () => tail(at.ground.workerLog, { lines: 30 }).split('\n')),
    section('log of Postgres', async () =>
      tail(join(at.ground.dataDir, 'postgres.log'), { lines: 10 }).split('\n'),
    ),
  ])
  return parts.join('\n')
}

async function section(title: string, read: () => Promise<string[]>): Promise<string> {
  const late = new Promise<string[]>((resolve) => setTimeout(resolve, ANSWER_MS, ['no answer']))
  const lines = await Promise.race([read(), late]).catch((error: Error) => [error.message])
  return [`— ${title}: ${lines.length === 0 ? 'none' : ''}`, ...lines.map((line) => `    ${line}`)].join('\n')
}

async function workflowState({ temporal, reality }: Place, being: string): Promise<string> {
  const handle = temporal.workflow.getHandle(beingWorkflowId(reality.name, being))
  const { status, historyLength, raw } = await handle.describe()
  const task = raw.pendingWorkflowTask
  const activities = (raw.pendingActivities ?? []).map(
    ({ activityType, attempt, state, lastFailure }) =>
      `${activityType?.name} attempt ${attempt} state ${state} ${lastFailure?.message ?? ''}`,
  )
  const pending = task == null ? 'no task' : `task attempt ${task.attempt} state ${task.state}`
  const history = await handle.fetchHistory()
  const { events } = history
  await mkdir(KEPT, { recursive: true })
  await writeFile(join(KEPT, `${being}.json`), historyToJSON(history))
  return [
    `@${being} ${status.name}, ${historyLength} events, ${pending}; ${activities.join('; ') || 'no activity'}`,
    ...(events ?? []).slice(-EVENTS_SHOWN).map((event) => `    ${eventLine(event)}`),
  ].join('\n    ')
}

/** An event's kind, time and failure, never its payload. */
function eventLine(event: temporal.api.history.v1.IHistoryEvent): string {
  const at = new Date(Number(event.eventTime?.seconds ?? 0) * 1000).toISOString().slice(11, 19)
  const [kind = 'event'] = Object.keys(event).filter((key) => key.endsWith('EventAttributes'))
  const { failure, cause } =
    (event as Record<string, { failure?: { message?: string }; cause?: number } | undefined>)[kind] ?? {}
  return `${event.eventId} ${at} ${kind.replace('EventAttributes', '')} ${cause ?? ''} ${failure?.message ?? ''}`
}

async function table(db: Kysely<StoreDb>, query: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await query.execute(db)
  return rows.map((row) => JSON.stringify(row))
}
