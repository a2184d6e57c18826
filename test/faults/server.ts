/** Servers that a fault run kills and restarts, and the proxies before them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readInstance } from '@treeos/local'
import { FaultProxy } from './proxy.ts'

/** A server that can be killed and comes back on its data. */
export interface Server {
  readonly name: 'postgres' | 'temporal'
  /** what workers connect to */
  readonly proxy: FaultProxy
  /** what the driver connects to; it misbehaves only when the server does */
  readonly calm: FaultProxy
  kill(): void
  /** ready again when it resolves */
  restart(): Promise<void>
  /**
   * Starts it and kills it as soon as its log has this line.
   * @returns false when it was ready before that, and runs
   */
  killWhile(logLine: string): Promise<boolean>
}

interface Running {
  readonly address: string
  readonly pid: number | null
}

export async function serverOf(
  name: Server['name'],
  dataDir: string,
  first: Running,
  start: () => Promise<Running>,
): Promise<Server> {
  const speaks = name === 'postgres' ? name : 'anything'
  const proxy = await FaultProxy.start(targetOf(first), speaks)
  const calm = await FaultProxy.start(targetOf(first), speaks)
  let { pid } = first
  const restart = async () => {
    const running = await start()
    pid = running.pid
    proxy.target = targetOf(running)
    calm.target = targetOf(running)
  }
  return {
    name,
    proxy,
    calm,
    kill() {
      if (pid === null) throw new Error(`${name} is not ours to kill`)
      process.kill(pid, 'SIGKILL')
    },
    restart,
    async killWhile(logLine) {
      const log = join(dataDir, `${name}.log`)
      const from = (await readFile(log, 'utf8')).length
      const before = pid
      let ended: 'ready' | 'killed' | null = null
      const starting = restart().then(
        () => {
          ended ??= 'ready'
        },
        (error: unknown) => {
          if (ended !== 'killed') throw error
        },
      )
      while (ended === null) {
        const now = readInstance(dataDir).services.find((service) => service.name === name)?.process?.pid
        if (now !== undefined && now !== before && (await readFile(log, 'utf8')).includes(logLine, from)) {
          ended = 'killed'
          process.kill(now, 'SIGKILL')
        } else await sleep(2)
      }
      await starting
      return ended === 'killed'
    },
  }
}

function targetOf({ address }: Running) {
  const { hostname, port } = new URL(`tcp://${address}`)
  return { host: hostname, port: Number(port) }
}
