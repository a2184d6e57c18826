import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'

export interface Plan {
  /** one of the tricks of `squatter.ts`; not used by one that relays */
  readonly trick: string
  /**
   * how it answers a request of TLS: with a certificate, or with this text; left out, it does not expect one
   */
  readonly tls?: { readonly cert: string; readonly key: string } | string
  /** the port of a real server on this machine: the squatter passes all on to it, and reads along */
  readonly relayTo?: number
  /** a Unix socket instead of a port */
  readonly socketFile?: string
}

export interface Squatter {
  /** @returns the port */
  squat(plan: Plan): Promise<number>
  /** all that it was sent since it was asked last */
  received(): Promise<string>
}

const SQUATTER = join(import.meta.dirname, 'squatter.ts')
const NOBODY = 65_534
/** Another user of the machine, where tests run as root. */
const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/** A process for the tests of one file, which ends with them. */
export function squatterForTests({ isUs = false } = {}): Squatter {
  let child: ChildProcess
  beforeAll(() => {
    child = fork(SQUATTER, [], { ...(isUs ? {} : asNobody), execArgv: [] })
  })
  afterAll(() => child.disconnect())
  const ask = async (question: Plan | null) => {
    child.send(question as object)
    const [answer] = await once(child, 'message')
    return answer
  }
  return { squat: (plan) => ask(plan), received: () => ask(null) }
}
