import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll } from 'vitest'

/** A server of ours with every guard off. It belongs to no instance. */
export type OpenServer = {
  pid: number
  address: string
  /** null without a UI */
  ui: string | null
  /** what it has printed so far, line by line, without the first line, which names its address */
  printed: readonly string[]
  stop(): Promise<void>
}

/**
 * Starts servers for the tests of one file. Those that still run after its last test are ended then. Their
 * output goes to pipes of their own, since vitest does not end while another process holds its output.
 * @throws Error when a server ends before it names its address; the message has its output
 */
export function openServers(): (path: string, flags: readonly string[]) => Promise<OpenServer> {
  const stops: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const stop of stops) await stop()
  })
  return async (path, flags) => {
    const child = spawn(path, ['--open', '--port', '0', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
    const ended = once(child, 'exit')
    const stop = async () => {
      child.kill()
      await ended
    }
    stops.push(stop)
    const lines = createInterface(child.stdout)
    const [line] = await Promise.race([
      once(lines, 'line') as Promise<[string]>,
      ended.then(() => Promise.reject(new Error(`the server ended before it answered: ${errors}`))),
    ])
    const printed: string[] = []
    lines.on('line', (line) => printed.push(line))
    const { address, ui = null } = JSON.parse(line) as { address: string; ui?: string }
    return { pid: child.pid as number, address, ui, printed, stop }
  }
}
