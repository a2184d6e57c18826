import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isRunning, type Process, processStart } from './process.ts'

const POLL_MS = 500
const ANCESTORS_MAX = 32
/**
 * Package runners between a user's shell and us: `npx pnpm start` is npm's node, pnpm's node, maybe a
 * `sh -c`, then us.
 */
const RUNNER = /(^|[/\s])(npm|npx|pnpm|yarn|corepack)([\s.-]|$)/
const SHELL = /^\S*?(ba|da|z|fi|k|c|tc)?sh(\s|$)/

interface AncestorProcess extends Process {
  readonly command: string
}

/**
 * Calls `onGone` once when a program that launched us has ended. A signal to `npx` does not reach us, so
 * without this we would run on with nothing left to stop us. Shells do not count: a user may leave us in the
 * background on purpose.
 * @returns stops watching
 */
export function onLauncherGone(onGone: (pid: number) => void): () => void {
  const launchers = launchersAmong(ancestors())
  const timer = setInterval(() => {
    const gone = launchers.find((one) => !isRunning(one))
    if (gone === undefined) return
    clearInterval(timer)
    onGone(gone.pid)
  }, POLL_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Our parent unless it is a shell, and every package runner above us with the shells between. */
export function launchersAmong(chain: readonly AncestorProcess[]): AncestorProcess[] {
  const top = chain.findLastIndex(({ command }) => RUNNER.test(command))
  const [parent] = chain
  if (top >= 0) return chain.slice(0, top + 1)
  return parent === undefined || SHELL.test(parent.command) ? [] : [parent]
}

/** The processes above us, nearest first, without the first of all. */
function ancestors(): AncestorProcess[] {
  const chain: AncestorProcess[] = []
  for (let pid = process.ppid; pid > 1 && chain.length < ANCESTORS_MAX; ) {
    const startedAt = processStart(pid)
    const found = describeProcess(pid)
    if (startedAt === null || found === null) break
    chain.push({ pid, startedAt, command: found.command })
    pid = found.parent
  }
  return chain
}

function describeProcess(pid: number): { parent: number; command: string } | null {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      return { parent, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() }
    }
    const line = execFileSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    const space = line.indexOf(' ')
    return { parent: Number(line.slice(0, space)), command: line.slice(space + 1) }
  } catch {
    return null // it has just ended, or we may not read it
  }
}
