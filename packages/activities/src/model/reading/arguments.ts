import { isJsonObject, type Json, type JsonObject } from '@treeos/core'
import { repairJson } from './repair.ts'

/** A call as the model wrote it. */
export interface WrittenCall {
  readonly name: unknown
  /** undefined when they were not JSON */
  readonly args: unknown
}

/** @returns undefined for text that is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How often arguments may be JSON within JSON text. */
const ENCODINGS_MAX = 3

/**
 * Reads the arguments of a call. Servers write them as JSON text, as an object, or as JSON text that is
 * encoded once more. Some put an empty object before the real one, or a code fence around it. Text that is
 * almost JSON is repaired if it has one reading. The caller already knows that it is a call.
 * @returns undefined for any other text
 */
export function readArgs(written: unknown): unknown {
  let value = written
  for (let i = 0; i < ENCODINGS_MAX && typeof value === 'string'; i++) value = parseArgs(value)
  return typeof value === 'string' ? undefined : value
}

function parseArgs(text: string): unknown {
  const bare = withoutFence(text)
  const read = parseJson(bare) ?? (bare.startsWith('{}') ? parseJson(bare.slice(2)) : undefined)
  return read === undefined ? parseJson(repairJson(bare) ?? '') : read
}

const FENCE = '```'

/** The text without white space around it, and without one code fence around all of it. */
export function withoutFence(text: string): string {
  const bare = text.trim()
  const end = bare.length - FENCE.length
  if (!bare.startsWith(FENCE) || end < FENCE.length || bare.indexOf(FENCE, FENCE.length) !== end) return bare
  return bare
    .slice(FENCE.length, end)
    .replace(/^[\w-]+(?=\s)/, '')
    .trim()
}

/**
 * Fields that name the tool, and fields that hold its arguments, in the JSON of calls as models write them.
 */
const NAMES = ['name', 'function', 'tool', 'tool_name', 'function_name']
const ARGUMENTS = ['arguments', 'parameters', 'args', 'input', 'tool_input', 'params']
const ENVELOPE_FIELDS = ['type', 'id', 'tool_call_id', 'call_id']

/**
 * Reads a call in JSON, in one of the forms of which models know: `{"name": …, "arguments": {…}}`, with other
 * names of the two fields, or within `function` as in the protocol. The arguments of the tools `do` and `be` alone,
 * `{"operation": …, "target"?: …, "args"?: {…}}`, are a call of the operation.
 * @returns null for JSON that is not a call, or that has more in it than a call
 */
function asCall(value: unknown): WrittenCall | null {
  if (!isJsonObject(value)) return null
  if (isJsonObject(value.function)) {
    const isBare = Object.keys(value).every((key) => key === 'function' || isEnvelopeField(key, value[key]))
    return isBare ? asCall(value.function) : null
  }
  if (typeof value.operation === 'string') return asOperation(value.operation, value)
  const named = NAMES.filter((key) => typeof value[key] === 'string')
  const given = ARGUMENTS.filter((key) => Object.hasOwn(value, key))
  const [nameKey] = named
  const [argsKey] = given
  if (nameKey === undefined || argsKey === undefined || named.length > 1 || given.length > 1) return null
  const others = Object.keys(value).filter((key) => key !== nameKey && key !== argsKey)
  if (!others.every((key) => isEnvelopeField(key, value[key]))) return null
  return { name: value[nameKey], args: readArgs(value[argsKey]) }
}

function asOperation(
  name: string,
  { operation: _, target, args, ...others }: JsonObject,
): WrittenCall | null {
  if (Object.keys(others).length > 0 || (target === undefined && args === undefined)) return null
  return {
    name,
    args: target === undefined ? readArgs(args) : { target, ...(args === undefined ? {} : { args }) },
  }
}

const isEnvelopeField = (key: string, value: Json | undefined): boolean =>
  ENVELOPE_FIELDS.includes(key) && typeof value === 'string'

/** A call, a list of calls, or an object with such a list. @returns null for any other JSON */
export function asCalls(value: unknown): WrittenCall[] | null {
  if (isJsonObject(value) && Object.keys(value).length === 1) {
    if (Array.isArray(value.tool_calls)) return asCalls(value.tool_calls)
    if (isJsonObject(value.tool_call)) return asCalls(value.tool_call)
  }
  const calls = (Array.isArray(value) ? value : [value]).map(asCall)
  return calls.length === 0 || calls.includes(null) ? null : (calls as WrittenCall[])
}

/**
 * What gateways and templates put before the name of a tool: `functions.see`, `default_api:see`,
 * `mcp__x__see`.
 */
const PREFIX = /^.*(?:[.:/]|__)(?=[^.:/]+$)/s
/**
 * What they put after it: `see:0`, `see.call`, and control tokens of a template that the server did not know.
 */
const SUFFIX = /(?::\d+|\.call|<\|[\s\S]*)$/

/**
 * The offered tool that a written name means. A name that was offered stands for itself. Any other one is
 * read without the prefix and the suffix that gateways add.
 * @returns the name as it was written when no offered tool is meant
 */
export function toolNameOf(written: unknown, offered: readonly string[]): unknown {
  if (typeof written !== 'string' || offered.includes(written) || written.length > 200) return written
  const bare = written.replace(SUFFIX, '')
  return [bare, bare.replace(PREFIX, '')].find((name) => offered.includes(name)) ?? written
}
