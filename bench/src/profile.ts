import { type Profiler, Session } from 'node:inspector/promises'
import { createRequire } from 'node:module'
import { cpuOfThreads } from './processes.ts'

/** Self time of one function: CPU time without the functions that it called. */
export interface FunctionTime {
  /** `main`; `workflow` for threads of the sandbox; `thread` for native threads, which have names */
  readonly where: 'main' | 'workflow' | 'thread'
  /** `packages/store`, the npm package, `node`, or what V8 does itself, such as `(garbage collector)` */
  readonly package: string
  readonly function: string
  readonly ms: number
}

type Thread = import('node:worker_threads').Worker & {
  startCpuProfile?(): Promise<{ stop(): Promise<string> }>
}

const INTERVAL_US = 250

/**
 * A CPU profile of this process. The inspector profiles the main thread, and JavaScript threads that start
 * after this object was created. V8 cannot profile native threads, so their CPU time is counted by thread
 * name.
 */
export class Profiling {
  readonly #threads = new Set<Thread>()
  #session: Session | null = null
  #stops: (() => Promise<string>)[] = []
  #before = new Map<string, number>()

  constructor() {
    const module = createRequire(import.meta.url)('node:worker_threads') as {
      Worker: new (...args: never[]) => Thread
    }
    const threads = this.#threads
    module.Worker = class extends module.Worker {
      constructor(...args: never[]) {
        super(...args)
        threads.add(this)
        this.once('exit', () => threads.delete(this))
      }
    }
  }

  async start(): Promise<void> {
    const session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US })
    this.#before = cpuOfThreads(process.pid)
    this.#stops = []
    for (const thread of this.#threads) {
      const handle = await thread.startCpuProfile?.()
      if (handle !== undefined) this.#stops.push(() => handle.stop())
    }
    await session.post('Profiler.start')
    this.#session = session
  }

  /** @returns self times of all functions, the longest first, without idle time */
  async stop(): Promise<FunctionTime[]> {
    if (this.#session === null) throw new Error('the profile was not started')
    const { profile } = await this.#session.post('Profiler.stop')
    this.#session.disconnect()
    this.#session = null
    const workflow = await Promise.all(
      this.#stops.map(async (stop) => JSON.parse(await stop()) as Profiler.Profile),
    )
    const threads = [...cpuOfThreads(process.pid)].map(
      ([name, ms]): FunctionTime => ({
        where: 'thread',
        package: name,
        function: '',
        ms: ms - (this.#before.get(name) ?? 0),
      }),
    )
    return [
      ...selfTimes(profile, 'main'),
      ...workflow.flatMap((one) => selfTimes(one, 'workflow')),
      ...threads.filter((thread) => thread.ms > 0),
    ].sort((a, b) => b.ms - a.ms)
  }
}

function selfTimes(profile: Profiler.Profile, where: FunctionTime['where']): FunctionTime[] {
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]))
  const times = new Map<string, FunctionTime>()
  const deltas = profile.timeDeltas ?? []
  for (const [i, sample] of (profile.samples ?? []).entries()) {
    const frame = frames.get(sample)
    if (frame === undefined || frame.functionName === '(idle)') continue
    const named = { package: packageOf(frame.url, frame.functionName), function: nameOf(frame) }
    const key = `${named.package} ${named.function}`
    const ms = (times.get(key)?.ms ?? 0) + (deltas[i + 1] ?? 0) / 1000
    times.set(key, { where, ...named, ms })
  }
  return [...times.values()]
}

function nameOf({
  functionName,
  url,
  lineNumber,
}: {
  functionName: string
  url: string
  lineNumber: number
}): string {
  if (url === '') return functionName
  return `${functionName || '(anonymous)'} ${url.slice(url.lastIndexOf('/') + 1)}:${lineNumber + 1}`
}

function packageOf(url: string, functionName: string): string {
  if (url === '') return functionName.startsWith('(') ? functionName : '(native)'
  if (url.startsWith('node:')) return 'node'
  const installed = url.lastIndexOf('/node_modules/')
  if (installed >= 0) {
    const [first = '', second = ''] = url.slice(installed + '/node_modules/'.length).split('/')
    return first.startsWith('@') ? `${first}/${second}` : first
  }
  return /[/](packages[/][^/]+|bench)[/]/.exec(url)?.[1] ?? url.slice(url.lastIndexOf('/') + 1)
}
