import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts a process' time in hundredths of a second, whatever its kernel ticks in. */
const TICK_MS = 10

interface Stat {
  readonly pid: number
  readonly parent: number
  /** its own */
  readonly cpuMs: number
  /** of children that have ended and were waited for */
  readonly goneMs: number
}

/**
 * CPU time of a process and everything it started, ended children included: a Postgres backend counts for its server
 * before and after it goes.
 * @returns ms since it began; null when there is no such process to look at
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

/** CPU time of one process without what it started. */
export function cpuOf(pid: number): number {
  return readStat(pid)?.cpuMs ?? 0
}

/** CPU time of the machine that was spent on anything, in ms over all its cores. */
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
    return null // it ended while we looked
  }
  // The name stands in brackets and may hold brackets itself.
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
