import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { readAccess } from '@treeos/local'
import { describeMachine } from '../machine.ts'
import { orderOf, racesOn } from '../moment/benchmark.ts'
import { type Lane, startLanes } from '../moment/lanes.ts'
import { measure } from '../moment/measure.ts'
import { Process } from '../moment/process.ts'
import type { Race } from '../moment/race.ts'
import { cpuOf } from '../processes.ts'
import { type Services, withServices } from '../services.ts'
import { median, round } from '../statistics.ts'
import { GUARDS, type Guard, startServer } from './servers.ts'

export interface GuardOptions {
  readonly size: 'small' | 'full'
  readonly rounds: number | undefined
  readonly onProgress: (line: string) => void
}

const SIZES = {
  small: { turnsOfEach: 3, calls: 300, rounds: 1 },
  full: { turnsOfEach: 20, calls: 3000, rounds: 3 },
} as const
const BEINGS = 10

interface Post {
  readonly guard: Guard
  readonly lane: Lane
  readonly race: Race
  readonly services: Services
  readonly temporal: Client
  readonly serverPid: number
  /** CPU ms a moment, of Temporal and of all processes, and CPU ms a call, of server and caller */
  readonly heats: { temporal: number; all: number; call: number }[]
}

/**
 * Compares the CPU of moments, and of single calls, by what Temporal asks its callers for. Nothing else
 * differs.
 */
export function benchGuard({ size, rounds = SIZES[size].rounds, onProgress }: GuardOptions) {
  const machine = describeMachine()
  return withServices(onProgress, async (services) => {
    const folder = mkdtempSync(join(tmpdir(), 'treeos-bench-guard-'))
    services.atEnd(async () => rmSync(folder, { recursive: true, force: true }))
    const stub = Process.stub()
    services.atEnd(() => stub.stop())
    const { url: modelUrl } = await stub.hear('listening')
    const posts: Post[] = []
    for (const guard of GUARDS) posts.push(await startPost(guard, { services, folder, modelUrl, onProgress }))
    const { turnsOfEach, calls } = SIZES[size]
    for (const { race, lane, temporal, serverPid } of posts) {
      await race.run(lane.crowd, { turns: 2 })
      await cpuOfCalls(temporal, serverPid, calls)
    }
    for (const { guard, lane, race, services, temporal, serverPid, heats } of orderOf(posts, rounds)) {
      const { heat, cpuMs } = await measure({ temporal, stub, services }, lane, () =>
        race.run(lane.crowd, { turns: turnsOfEach }),
      )
      const all = Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0) / heat.turns
      const call = await cpuOfCalls(temporal, serverPid, calls)
      heats.push({ temporal: (cpuMs.temporal ?? Number.NaN) / heat.turns, all, call })
      onProgress(`${guard}: ${round(all, 1)} ms of CPU a moment, ${round(call, 3)} ms a call`)
    }
    const of = (guard: Guard, what: keyof Post['heats'][number]) =>
      median(posts.find((post) => post.guard === guard)?.heats.map((heat) => heat[what]) ?? [])
    const against = (what: keyof Post['heats'][number]) =>
      Object.fromEntries(GUARDS.map((guard) => [guard, round(of(guard, what) / of('open', what), 3)]))
    return {
      benchmark: 'guard',
      at: new Date().toISOString(),
      machine: { ...machine, loadAtEnd: describeMachine().load },
      parameters: { size, ...SIZES[size], rounds, beings: BEINGS },
      /** CPU against the open server, medians of the heats */
      ratios: { moment: against('all'), temporalOfMoment: against('temporal'), call: against('call') },
      heats: Object.fromEntries(posts.map(({ guard, heats }) => [guard, heats])),
    }
  })
}

async function startPost(
  guard: Guard,
  course: { services: Services; folder: string; modelUrl: string; onProgress: (line: string) => void },
): Promise<Post> {
  const { pid, env } = await startServer(guard, course.services, course.folder)
  const { options } = await readAccess(env)
  const connection = await Connection.connect(options)
  course.services.atEnd(() => connection.close())
  const services: Services = {
    ...course.services,
    temporal: { ...course.services.temporal, pid, env, options },
    createDatabase: (name) => course.services.createDatabase(`${name}_${guard}`),
  }
  const temporal = new Client({ connection })
  const { modelUrl, onProgress } = course
  const lanes = await startLanes(
    { services, temporal, modelUrl, beings: BEINGS, poolMax: 20, other: undefined, onProgress },
    ['scripted'],
  )
  const [lane] = lanes
  const race = lane === undefined ? undefined : racesOn(lanes).get(lane)
  if (lane === undefined || race === undefined) throw new Error('no lane was started')
  return { guard, lane, race, services, temporal, serverPid: pid, heats: [] }
}

/** CPU ms a call of a small request, of the server and of this process. */
async function cpuOfCalls({ workflowService }: Client, serverPid: number, calls: number): Promise<number> {
  const now = () => {
    const { user, system } = process.cpuUsage()
    return cpuOf(serverPid) + (user + system) / 1000
  }
  const before = now()
  for (let i = 0; i < calls; i++) await workflowService.describeNamespace({ namespace: 'default' })
  return (now() - before) / calls
}
