import { stripVTControlCharacters } from 'node:util'
import { parseMomentId, stanceOf } from '@treeos/core'
import { plain } from '../text/output.ts'

/** Levels of pino. */
const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}
/** Said in the words before, or of no use to a reader. */
const LEFT_OUT = new Set([
  'level',
  'time',
  'pid',
  'hostname',
  'name',
  'msg',
  'being',
  'moment',
  'thread',
  'reason',
  'stack',
])

/** A line without the colours that a program wrote for a terminal: it may go into a file. */
export const uncoloured = (line: string): string =>
  line.includes('\u001b') || line.includes('\u009b') ? stripVTControlCharacters(line) : line

/**
 * A line of a log as a person reads it: when, how bad, what, of whom, and the rest. A line that is not of
 * ours stays as it is.
 */
export function readableLine(line: string): string {
  const said = parsedLogLine(line)
  if (said === null) return line
  const { level, time, msg } = said
  const at = new Date(Number(time))
  if (typeof msg !== 'string' || LEVELS[Number(level)] === undefined || Number.isNaN(at.getTime()))
    return line
  const about = [whoseIn(said), threadIn(said), codeIn(said)].filter((part) => part !== null).join(', ')
  const rest = Object.entries(said).flatMap(([name, value]) =>
    LEFT_OUT.has(name) || value === undefined ? [] : [`${name}=${loggedText(value)}`],
  )
  const head = `${at.toISOString().replace('T', ' ').slice(0, 19)} ${LEVELS[Number(level)]?.padEnd(5)} ${msg}`
  return [about === '' ? head : `${head}: ${about}`, ...rest].join(' ')
}

/** The same, safe to show. Colours may stand in a field of a line, too. */
export const shownLogLine = (line: string): string => plain(uncoloured(readableLine(line)))

type LogFields = Readonly<Record<string, unknown>>

function parsedLogLine(line: string): LogFields | null {
  try {
    const said: unknown = JSON.parse(line)
    return typeof said === 'object' && said !== null && !Array.isArray(said) ? (said as LogFields) : null
  } catch {
    return null
  }
}

/** `@ann, moment 7` */
function whoseIn({ moment, being }: LogFields): string | null {
  if (typeof moment === 'string') {
    try {
      const { being: whose, n } = parseMomentId(moment)
      return `${stanceOf(whose)}, moment ${n}`
    } catch {
      return moment
    }
  }
  return typeof being === 'string' ? stanceOf(being) : null
}

/** `thread 3cfb3894-946f-8ef8-8616-f34b82f0f00d`, as `treeos thread` takes it */
const threadIn = ({ thread }: LogFields): string | null =>
  typeof thread === 'string' ? `thread ${thread}` : null

/** A code in words, and as it is: `llm failed (LLM_FAILED)`. */
function codeIn({ reason }: LogFields): string | null {
  if (typeof reason !== 'string') return null
  const words = reason.toLowerCase().replaceAll(/[_-]/g, ' ')
  return words === reason ? reason : `${words} (${reason})`
}

const loggedText = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(uncoloured(value)) : (JSON.stringify(value) ?? '')
