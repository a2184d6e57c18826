import { closeSync, openSync, readdirSync, readSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { LocalError, systemCode } from '../machine/error.ts'

export interface Log {
  /** `postgres`, `temporal`, `worker-1`, `up`, … */
  readonly service: string
  readonly file: string
}

const ENDING = '.log'
/** Read from the end of a log at once. */
const CHUNK_BYTES = 64 * 1024

/**
 * The logs in the folder of an instance: of all services that ever ran in it, or of those that are named.
 * @throws {LocalError} SERVICE_UNAVAILABLE where there is none; INVALID_INPUT for a service without one
 */
export function requireLogs(dataDir: string, services: readonly string[]): Log[] {
  const logs = logsIn(dataDir)
  if (logs.length === 0)
    throw new LocalError(`${dataDir} holds no logs: no instance was started there; name another with --data`)
  const known = logs.map(({ service }) => service)
  const unknown = services.find((service) => !known.includes(service))
  if (unknown !== undefined)
    throw new LocalError(`there is no log of ${JSON.stringify(unknown)}; there is ${known.join(', ')}`, {
      code: 'INVALID_INPUT',
    })
  return services.length === 0 ? logs : logs.filter(({ service }) => services.includes(service))
}

function logsIn(dataDir: string): Log[] {
  return namesIn(dataDir)
    .filter((name) => name.endsWith(ENDING))
    .sort()
    .map((name) => ({ service: serviceIn(name), file: join(dataDir, name) }))
}

/** @throws the error of a folder that is there and cannot be read */
function namesIn(dataDir: string): string[] {
  try {
    return readdirSync(dataDir)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw error
  }
}

const serviceIn = (name: string): string => name.slice(0, -ENDING.length)

/** The last lines of a file, and where they end. A line without its end counts when it is whole. */
export function lastLines(file: string, count: number): { lines: string[]; end: number } {
  const size = statSync(file).size
  let [start, text] = [size, Buffer.alloc(0)]
  const linesIn = () => text.toString('utf8').split('\n').length - 1
  while (start > 0 && linesIn() <= count) {
    const from = Math.max(0, start - CHUNK_BYTES)
    text = Buffer.concat([readLogPart(file, from, start), text])
    start = from
  }
  const whole = text.subarray(0, text.lastIndexOf('\n') + 1)
  const lines = whole.toString('utf8').split('\n').slice(0, -1)
  return { lines: count === 0 ? [] : lines.slice(-count), end: size - (text.length - whole.length) }
}

function readLogPart(file: string, from: number, to: number): Buffer {
  const handle = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(to - from)
    return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, from))
  } finally {
    closeSync(handle)
  }
}

interface LogFollower {
  end: number
  rest: string
  readonly decoder: StringDecoder
}

/**
 * Calls back for each line that the logs of a folder get, those of services that start later too.
 * @param ends of what was read of each service's log; a log that is not there is read from its beginning
 * @returns ends it
 */
export function followLogs(
  dataDir: string,
  ends: ReadonlyMap<string, number>,
  onLine: (service: string, line: string) => void,
): () => void {
  const followed = new Map<string, LogFollower>()
  const readOn = ({ service, file }: Log) => {
    const size = statSync(file, { throwIfNoEntry: false })?.size
    if (size === undefined) return void followed.delete(service)
    const known = followed.get(service) ?? {
      end: ends.get(service) ?? 0,
      rest: '',
      decoder: new StringDecoder(),
    }
    followed.set(service, known)
    if (size < known.end) known.end = 0 // it was begun anew
    for (; known.end < size; ) {
      const bytes = readLogPart(file, known.end, Math.min(size, known.end + CHUNK_BYTES))
      if (bytes.length === 0) break
      known.end += bytes.length
      const lines = (known.rest + known.decoder.write(bytes)).split('\n')
      known.rest = lines.pop() ?? ''
      for (const line of lines) onLine(service, line)
    }
  }
  const watcher = watch(dataDir, (_event, name) => {
    if (name?.endsWith(ENDING)) readOn({ service: serviceIn(name), file: join(dataDir, name) })
  })
  watcher.on('error', () => undefined) // the folder is gone, and nothing more comes
  for (const log of logsIn(dataDir)) readOn(log) // what came before the watch began
  return () => watcher.close()
}
