import type { Client } from '@temporalio/client'
import { ringUnlessListening } from '@treeos/client'
import { canonicalJson, PRIORITIES, taskQueueOf } from '@treeos/core'
import { openDatabase } from '@treeos/store'
import pg from 'pg'
import type { Services } from '../services.ts'
import { Process } from './process.ts'

/** One contestant in a race: its beings, how a turn starts, and how many turns it recorded. */
export interface Lane {
  readonly name: LaneName
  readonly process: Process
  readonly crowd: readonly string[]
  /** the being that has turns alone */
  readonly solo: string
  readonly databaseUrl: string
  begin(being: string, n: number, content: string): Promise<void>
  /** number of durable records so far, of all its beings or of one */
  countRecords(being?: string): Promise<number>
  /** null when the contestant has no history */
  readonly workflowOf: ((being: string) => string) | null
}

export interface Course {
  readonly services: Services
  readonly temporal: Client
  readonly modelUrl: string
  readonly beings: number
  readonly poolMax: number
  /** folder of another checkout of this repository, to race against this one */
  readonly other: string | undefined
  readonly onProgress: (line: string) => void
}

export const WHAT = {
  llm: 'TreeOS, a being with a model: inbox row and doorbell, open, think, stamp',
  scripted: 'TreeOS, a scripted being: the same moment without a model',
  plain: 'bare Temporal entity: signal with content, an activity for the model, an activity for the insert',
  lean: 'bare Temporal entity: signal with content, local activities for the model and an idempotent insert',
  langgraph: 'LangGraph.js: a graph of one model node, Postgres checkpointer, a thread a being',
  dbos: 'DBOS: a workflow a turn, a step for the model, a step for the insert',
  'llm-other': 'as llm, by the other checkout',
  'scripted-other': 'as scripted, by the other checkout',
} as const
export type LaneName = keyof typeof WHAT
export const LANES = Object.keys(WHAT) as LaneName[]

/** Starts the processes of the requested contestants. */
export async function startLanes(course: Course, wanted: readonly LaneName[]): Promise<Lane[]> {
  const lanes: Lane[] = []
  const start = (name: LaneName) => wanted.includes(name)
  const kinds = (of: string) =>
    (['llm', 'scripted'] as const).filter((kind) => start(`${kind}${of}` as LaneName))
  if (kinds('').length > 0) lanes.push(...(await startOurs(course, '', kinds(''))))
  if (kinds('-other').length > 0) lanes.push(...(await startOurs(course, '-other', kinds('-other'))))
  for (const name of ['plain', 'lean'] as const) if (start(name)) lanes.push(await startBare(course, name))
  for (const name of ['langgraph', 'dbos'] as const)
    if (start(name)) lanes.push(await startCalled(course, name))
  return wanted.flatMap((name) => lanes.find((lane) => lane.name === name) ?? [])
}

const names = (prefix: string, count: number) => [
  ...Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`),
  `${prefix}-solo`,
]

async function startContestant(
  course: Course,
  contestant: string,
  beings: readonly string[],
  other?: string,
) {
  const databaseUrl = await course.services.createDatabase(
    `${contestant}${other === undefined ? '' : '_other'}`,
  )
  const reality = `bench-${contestant}-${new URL(databaseUrl).pathname.split('_').slice(1).join('-')}`
  const child = Process.contestant(
    {
      contestant,
      databaseUrl,
      workerUrl: course.services.asWorker(databaseUrl),
      beings,
      reality,
      temporal: course.services.temporal.env,
      modelUrl: course.modelUrl,
      poolMax: course.poolMax,
    },
    other,
  )
  course.services.atEnd(() => child.stop())
  course.onProgress(
    `${contestant}${other === undefined ? '' : ` of ${other}`}: getting ready with ${beings.length} beings`,
  )
  const { taskQueue } = await child.hear('ready')
  return { child, databaseUrl, reality, taskQueue: taskQueue ?? '' }
}

async function startOurs(
  course: Course,
  suffix: '' | '-other',
  kinds: readonly ('llm' | 'scripted')[],
): Promise<Lane[]> {
  const beings = kinds.flatMap((kind) => names(kind, course.beings))
  const other = suffix === '' ? undefined : course.other
  const { child, databaseUrl, reality } = await startContestant(course, 'treeos', beings, other)
  // As the owner: workers and clients put no summons into inboxes by themselves.
  const db = openDatabase(databaseUrl, { asOwner: true, poolMax: 4, onConnectionError: () => undefined })
  const at = { reality, taskQueue: taskQueueOf(reality) }
  return kinds.map(
    (kind): Lane => ({
      name: `${kind}${suffix}`,
      process: child,
      crowd: names(kind, course.beings).slice(0, -1),
      solo: `${kind}-solo`,
      databaseUrl,
      workflowOf: (being) => `being/${reality}/${being}`,
      begin: startingMoments(db, course.temporal, at),
      countRecords: (being = `${kind}-%`) =>
        count(
          databaseUrl,
          `select count(*) from treeos.moment_outcome where kind = 'act' and being like $1`,
          being,
        ),
    }),
  )
}

/** Gives a being something to live a moment for, as a summon of the operator does. @param db of the owner */
export function startingMoments(
  db: ReturnType<typeof openDatabase>,
  temporal: Client,
  at: { readonly reality: string; readonly taskQueue: string },
): Lane['begin'] {
  return async (being, n, content) => {
    await db
      .insertInto('inbox')
      .values({
        id: `${being}:${n}`,
        being,
        kind: 'summon',
        priority: PRIORITIES.interactive,
        caller: 'operator',
        caller_role: 'operator',
        caller_cognition: 'human',
        content: Buffer.from(canonicalJson(content)),
        root: `${being}:${n}`,
        in_reply_to: null,
        asked_role: null,
        cause: null,
      })
      .execute()
    await ringUnlessListening(db, temporal, at, being)
  }
}

async function startBare(course: Course, name: 'plain' | 'lean'): Promise<Lane> {
  const beings = names(name, course.beings)
  const { child, databaseUrl, taskQueue } = await startContestant(course, name, beings)
  const workflowOf = (being: string) => `bench/${name}/${being}`
  return {
    name,
    process: child,
    crowd: beings.slice(0, -1),
    solo: `${name}-solo`,
    databaseUrl,
    workflowOf,
    async begin(being, n, content) {
      await course.temporal.workflow.signalWithStart(`${name}Being`, {
        workflowId: workflowOf(being),
        taskQueue,
        args: [{ being }],
        signal: 'turn',
        signalArgs: [{ n, content }],
      })
    },
    countRecords: (being = '%') =>
      count(databaseUrl, 'select count(*) from answer where being like $1', being),
  }
}

async function startCalled(course: Course, name: 'langgraph' | 'dbos'): Promise<Lane> {
  const beings = names(name, course.beings)
  const { child, databaseUrl } = await startContestant(course, name, beings)
  return {
    name,
    process: child,
    crowd: beings.slice(0, -1),
    solo: `${name}-solo`,
    databaseUrl,
    workflowOf: null,
    async begin(being, n, content) {
      child.send({ type: 'turn', being, n, content })
    },
    countRecords: (being = '%') =>
      name === 'dbos'
        ? count(databaseUrl, 'select count(*) from answer where being like $1', being)
        : // A channel gets a new version with each write, and a turn writes one answer.
          count(
            databaseUrl,
            `select count(*) from checkpoint_blobs where channel = 'answer' and thread_id like $1`,
            being,
          ),
  }
}

async function count(databaseUrl: string, statement: string, being: string): Promise<number> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    return Number((await client.query(statement, [being])).rows[0].count)
  } finally {
    await client.end()
  }
}
