/** One worker on the task queue of a team, with its workflows and the beings of two realities. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker'
import { act, summon } from '@treeos/client'
import { findNameHolder, type PreparedReality, treeos } from '@treeos/host'
import { openDatabase } from '@treeos/store'
import { buildRegistry, seed } from '@treeos/world'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { CliInstance } from '../../cli/instance.ts'
import { emptyDatabase, type OwnDatabase } from '../../support/database.ts'
import { stage } from '../../support/puppet.ts'
import { temporalAccess } from '../../support/temporal-access.ts'
import till, { sent } from '../../support/till.ts'

const TASK_QUEUE = `orders-${randomUUID().slice(0, 8)}`
const NAMES = ['first', 'second'].map((name) => `${name}-${randomUUID().slice(0, 8)}`)
const workflowsPath = join(import.meta.dirname, '../../support/host.workflow.ts')
const ignore = () => undefined
const logger = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore }

const databases: OwnDatabase[] = []
const prepared: PreparedReality[] = []
let native: NativeConnection
let connection: Connection
let temporal: Client

const pluginFor = ({ url }: OwnDatabase) => treeos({ databaseUrl: url, extensions: [stage, till] })

beforeAll(async () => {
  const access = await temporalAccess()
  native = await NativeConnection.connect(access)
  connection = await Connection.connect(access)
  temporal = new Client({ connection })
  for (const reality of NAMES) {
    const database = await emptyDatabase()
    databases.push(database)
    prepared.push(await pluginFor(database).prepare({ connection: native, reality, taskQueue: TASK_QUEUE }))
  }
})
afterAll(async () => {
  await Promise.all([native.close(), connection.close()])
  for (const database of databases) await database.drop()
})

async function at<T>(n: number, use: (at: Parameters<typeof summon>[0]) => Promise<T>): Promise<T> {
  const db = openDatabase(databases[n]!.url, { role: 'treeos_people' })
  try {
    const registry = buildRegistry([seed, stage, till])
    return await use({ db, temporal, reality: prepared[n]!.reality, registry })
  } finally {
    await db.destroy()
  }
}

async function createWorker(plugins: ReturnType<typeof treeos>[]): Promise<Worker> {
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [treeos(), treeos()], logger })
  return Worker.create({ connection: native, taskQueue: TASK_QUEUE, workflowBundle, plugins })
}

describe('a worker on the task queue of its team', () => {
  it('has its workflows and the beings of two realities, each of which acts in its own database', async () => {
    expect(prepared.map(({ taskQueue }) => taskQueue)).toEqual([TASK_QUEUE, TASK_QUEUE])
    const worker = await createWorker(databases.map(pluginFor))
    await worker.runUntil(async () => {
      const workflowId = `task-${TASK_QUEUE}`
      expect(await temporal.workflow.execute('taskWorkflow', { taskQueue: TASK_QUEUE, workflowId })).toBe(
        'the task of the host',
      )
      for (const [n, name] of NAMES.entries())
        await at(n, async (here) => {
          await act(here, 'operator', {
            ...{ verb: 'be', operation: 'birth' },
            args: { name: 'puppet', cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' },
          })
          const call = { verb: 'do', operation: 'till:wire', target: '/', args: { euros: 10 + n } }
          const { moment } = await summon(here, {
            ...{ as: 'operator', target: 'puppet', content: { call }, waitSeconds: 40 },
          })
          expect(moment).toMatchObject({ outcome: 'act' })
          const { reply } = await summon(here, {
            ...{ as: 'operator', target: 'echo', content: name, waitSeconds: 40 },
          })
          expect(reply?.content).toBe(name)
        })
      expect(sent).toEqual(expect.arrayContaining([10, 11]))
      for (const [n, { reality }] of prepared.entries())
        await at(n, async ({ db }) => {
          expect(await findNameHolder(temporal, reality.name)).toBe(reality.id)
          const beings = await db.selectFrom('life').select('being').execute()
          expect(beings.map(({ being }) => being)).toContain('puppet')
        })
    })
  })

  it('commands and doctor find it there, by what the database says', async () => {
    const home = new CliInstance(() => ({ DATABASE_URL: databases[0]!.url, ...inject('temporalEnv') }))
    const worker = await createWorker(databases.map(pluginFor))
    try {
      await worker.runUntil(async () => {
        const { reply } = await home.json<{ reply: { content: unknown } }>([
          ...['summon', '@echo', 'by a command', '--wait', '40'],
        ])
        expect(reply.content).toBe('by a command')
        const { checks } = JSON.parse((await home.run(['doctor', '--json'])).stdout) as {
          checks: { name: string }[]
        }
        expect(checks.find(({ name }) => name === 'task queue')).toMatchObject({
          ok: true,
          found: `a worker polls ${TASK_QUEUE}`,
        })
      })
    } finally {
      await home.remove()
    }
  })

  it('takes no two plugins for one reality', async () => {
    await expect(createWorker([pluginFor(databases[0]!), pluginFor(databases[0]!)])).rejects.toThrow(
      'activity beginLife is registered already',
    )
  })

  it('refuses to start a reality whose name another one has in this namespace, and doctor advises to end nothing', async () => {
    const other = await emptyDatabase()
    databases.push(other)
    const name = NAMES[0]!
    const { reality } = await pluginFor(other).prepare({
      ...{ connection: native, reality: name, taskQueue: TASK_QUEUE },
    })
    const worker = await createWorker([pluginFor(other)])
    await expect(worker.run()).rejects.toThrow(
      `the namespace default of Temporal has another reality "${name}": its id is ${prepared[0]!.reality.id}, and that of this database ${reality.id}.`,
    )
    const home = new CliInstance(() => ({ DATABASE_URL: other.url, ...inject('temporalEnv') }))
    try {
      const { stdout } = await home.run(['doctor', '--json'])
      const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; mend: string }[] }
      expect(checks.find((check) => check.name === 'workflows')).toMatchObject({
        ok: false,
        found: expect.stringContaining(`another reality "${name}"`),
      })
      expect(stdout).not.toContain('terminate')
    } finally {
      await home.remove()
    }
  })
})
