import { readdirSync, readFileSync } from 'node:fs'

/** Linux reports CPU times of processes in hundredths of a second, at every kernel tick rate. */
const TICK_MS = 10

interface Stat {
  readonly pid: number
  readonly parent: number
  /** CPU time of the process itself */
  readonly cpuMs: number
  /** CPU time of children that have ended and were waited for */
  readonly goneMs: number
}

/**
 * CPU time of a process and of everything that it started, ended children included. So a Postgres backend
 * counts for its server while it runs and after it ends.
 * @returns ms since the process started; null when there is no such process
 */
export function cpuOfTree(root: number | null): number | null {
  if (root === null) return null
  const all = new Map(listStats().map((stat) => [stat.pid, stat]))
  const top = all.get(root)
  if (top === undefined) return null
  const children = Map.groupBy(all.values(), (stat) => stat.parent)
  const sum = (stat: Stat): number =>
    stat.cpuMs + stat.goneMs + (children.get(stat.pid) ?? []).reduce((ms, child) => ms + sum(child), 0)
  return sum(top)
}

/** CPU time of one process without its children. */
export function cpuOf(pid: number): number {
  return readStat(pid)?.cpuMs ?? 0
}

/** CPU time that the machine spent on all processes, in ms over all its cores. */
export function cpuOfMachine(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softirq + steal) * TICK_MS
}

/** CPU time by the name of the thread. */
export function cpuOfThreads(pid: number): Map<string, number> {
  const byName = new Map<string, number>()
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const stat = readStat(`${pid}/task/${task}`)
    if (stat !== null) byName.set(stat.name, (byName.get(stat.name) ?? 0) + stat.cpuMs)
  }
  return byName
}

/** Peak memory of a process, in MiB. */
export const peakMemory = (pid: number): number => memoryOf(pid, 'VmHWM')

/** Memory of a process now, in MiB. */
export const memory = (pid: number): number => memoryOf(pid, 'VmRSS')

function memoryOf(pid: number, field: string): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  )?.[1]
  return Math.round(Number(kilobytes) / 1024)
}

function listStats(): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readStat(pid) ?? [])
}

function readStat(at: string | number): (Stat & { name: string }) | null {
  let text: string
  try {
    text = readFileSync(`/proc/${at}/stat`, 'utf8')
  } catch {
    return null // it ended while it was read
  }
  // The name is in brackets and may contain brackets.
  const end = text.lastIndexOf(')')
  const fields = text.slice(end + 2).split(' ')
  const ticks = (from: number) => Number(fields[from]) + Number(fields[from + 1])
  return {
    pid: Number.parseInt(text, 10),
    name: text.slice(text.indexOf('(') + 1, end),
    parent: Number(fields[1]),
    cpuMs: ticks(11) * TICK_MS,
    goneMs: ticks(13) * TICK_MS,
  }
}
