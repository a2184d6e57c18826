import { createHash } from 'node:crypto'
import {
  canonicalJson,
  guardJson,
  isJsonObject,
  type Json,
  type JsonObject,
  messageOfThrown,
  REFUSED_KEYS,
} from '@treeos/core'

/** A tool as its server declares it: all of the declaration that is used. */
export interface ToolDefinition {
  readonly description: string
  /** JSON Schema of its arguments */
  readonly schema: JsonObject
  /** what it says of a second call with the same arguments: that it changes nothing more */
  readonly hints: readonly Hint[]
}

export const HINTS = ['read-only', 'idempotent'] as const
export type Hint = (typeof HINTS)[number]

/** By the name of the tool. */
export type Definitions = Readonly<Record<string, ToolDefinition>>

/** The tools of a server, and why the others of it cannot be used. */
export interface ToolList {
  readonly tools: Definitions
  readonly leftOut: Readonly<Record<string, string>>
}

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/
const ARGUMENT_NAME = /^[A-Za-z0-9_.$-]{1,64}$/
const DESCRIPTION_CHARS_MAX = 4096
const SCHEMA_BYTES_MAX = 16 * 1024
const SCHEMA_DEPTH_MAX = 24
const TOOLS_MAX = 128
const FAULT_CHARS_MAX = 300

/** Why a schema cannot check arguments; null where it can. */
export type SchemaFault = (schema: JsonObject) => string | null

/**
 * Reads the list of a server. A declaration that is malformed, too large to be shown, or that needs what we
 * do not have, is left out; the others are not.
 * @param listed as the server wrote it, whatever its form
 */
export function readTools(listed: readonly unknown[], faultOfSchema: SchemaFault): ToolList {
  const tools = new Map<string, ToolDefinition>()
  const leftOut = new Map<string, string>()
  for (const [index, tool] of listed.entries()) {
    const { name = null } = isJsonObject(tool) ? tool : {}
    const shown = typeof name === 'string' && name !== '' ? name.slice(0, 128) : `tool ${index + 1}`
    const read = tools.size < TOOLS_MAX ? definitionOf(tool, faultOfSchema) : TOO_MANY
    if (typeof read === 'string') leftOut.set(shown, read)
    else tools.set(shown, read)
  }
  return { tools: Object.fromEntries(tools), leftOut: Object.fromEntries(leftOut) }
}

const TOO_MANY = `the server has more than ${TOOLS_MAX} tools`

/** @returns why it cannot be used, where it cannot */
function definitionOf(tool: unknown, faultOfSchema: SchemaFault): ToolDefinition | string {
  if (!isJsonObject(tool)) return 'it is no object'
  const { name, description, inputSchema, annotations, execution } = tool
  if (typeof name !== 'string' || !TOOL_NAME.test(name))
    return 'its name is not of at most 64 letters, digits, `_`, `.` and `-`'
  if (REFUSED_KEYS.has(name)) return 'its name is refused everywhere'
  if (description != null && typeof description !== 'string') return 'its description is no text'
  const told = description ?? ''
  if (told.length > DESCRIPTION_CHARS_MAX)
    return `its description has ${told.length} characters, at most ${DESCRIPTION_CHARS_MAX} are shown`
  if (isJsonObject(execution) && execution.taskSupport === 'required')
    return 'it is called as a task of the protocol only'
  const fault = isJsonObject(inputSchema) ? faultOfArguments(inputSchema, faultOfSchema) : NO_SCHEMA
  if (fault !== null) return fault
  const { readOnlyHint, idempotentHint } = isJsonObject(annotations) ? annotations : {}
  return {
    description: told.toWellFormed(),
    schema: inputSchema as JsonObject,
    hints: [
      ...(readOnlyHint === true ? ['read-only' as const] : []),
      ...(idempotentHint === true ? ['idempotent' as const] : []),
    ],
  }
}

const NO_SCHEMA = 'it has no schema of its arguments'

function faultOfArguments(schema: JsonObject, faultOfSchema: SchemaFault): string | null {
  const { type, properties = {} } = schema
  if (type !== 'object') return 'its schema is not of an object'
  if (!isJsonObject(properties)) return 'its schema has no properties by name'
  const odd = Object.keys(properties).find((arg) => !ARGUMENT_NAME.test(arg))
  if (odd !== undefined)
    return `its argument ${JSON.stringify(odd.slice(0, 64))} is not of at most 64 letters, digits, \`_\`, \`.\`, \`$\` and \`-\``
  try {
    guardJson(schema, { depthMax: SCHEMA_DEPTH_MAX, bytesMax: SCHEMA_BYTES_MAX })
  } catch (error) {
    return `its schema is refused: ${messageOfThrown(error)}`
  }
  if (hasNullDescription(schema)) return 'a description in its schema is null'
  const fault = faultOfSchema(schema)
  return fault === null ? null : `its schema cannot be used: ${fault.slice(0, FAULT_CHARS_MAX)}`
}

/** Model servers refuse the whole request for one. */
function hasNullDescription(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (isJsonObject(value) && value.description === null) return true
  return Object.values(value).some(hasNullDescription)
}

/** Of the name, the description, the schema and the hints: it changes when any of them does. */
export const digestOfTool = (name: string, { description, schema, hints }: ToolDefinition): string =>
  createHash('sha256')
    .update(canonicalJson({ tool: name, description, schema, hints: [...hints] }))
    .digest('hex')

export const digestsOf = (tools: Definitions): Record<string, string> =>
  Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, digestOfTool(name, tool)]))

/** One difference between what was accepted and what a server declares now. */
export interface ToolChange {
  readonly tool: string
  /** the part of the declaration; `tool` when it came or went */
  readonly part: string
  readonly accepted: string | null
  readonly now: string | null
}

/** What differs, in the order of the names. The schema is compared argument by argument. */
export function changesBetween(accepted: Definitions, now: Definitions): ToolChange[] {
  const names = [...new Set([...Object.keys(accepted), ...Object.keys(now)])].sort()
  return names.flatMap((tool) => {
    const [before, after] = [accepted[tool], now[tool]]
    if (before === undefined || after === undefined)
      return [{ tool, part: 'tool', accepted: before?.description ?? null, now: after?.description ?? null }]
    const [old, fresh] = [definitionParts(before), definitionParts(after)]
    const parts = [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
    return parts
      .filter((part) => old[part] !== fresh[part])
      .map((part) => ({ tool, part, accepted: old[part] ?? null, now: fresh[part] ?? null }))
  })
}

function definitionParts({ description, schema, hints }: ToolDefinition): Record<string, string> {
  const { properties, ...rest } = schema
  const args = isJsonObject(properties) ? properties : {}
  return {
    description,
    hints: hints.join(', '),
    schema: canonicalJson(rest),
    ...Object.fromEntries(
      Object.entries(args).map(([name, value]) => [`argument ${name}`, canonicalJson(value)]),
    ),
  }
}
