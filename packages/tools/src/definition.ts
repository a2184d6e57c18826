import { createHash } from 'node:crypto'
import type { Tool } from '@modelcontextprotocol/client'
import { canonicalJson, guardJson, isJsonObject, type JsonObject } from '@treeos/core'

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

/**
 * Reads the list of a server. A declaration that is too large to be shown, or that needs what we do not have,
 * is left out.
 */
export function readTools(listed: readonly Tool[]): ToolList {
  const tools: Record<string, ToolDefinition> = {}
  const leftOut: Record<string, string> = {}
  for (const tool of listed) {
    const why = whyUnusable(tool, Object.keys(tools).length)
    if (why !== null) leftOut[tool.name.slice(0, 128)] = why
    else tools[tool.name] = definitionOf(tool)
  }
  return { tools, leftOut }
}

function definitionOf({ description = '', inputSchema, annotations = {} }: Tool): ToolDefinition {
  const { readOnlyHint, idempotentHint } = annotations
  return {
    description: description.toWellFormed(),
    schema: inputSchema as JsonObject,
    hints: [
      ...(readOnlyHint === true ? ['read-only' as const] : []),
      ...(idempotentHint === true ? ['idempotent' as const] : []),
    ],
  }
}

function whyUnusable({ name, description = '', inputSchema, execution }: Tool, known: number): string | null {
  if (!TOOL_NAME.test(name)) return 'its name is not of at most 64 letters, digits, `_`, `.` and `-`'
  if (known >= TOOLS_MAX) return `the server has more than ${TOOLS_MAX} tools`
  if (description.length > DESCRIPTION_CHARS_MAX)
    return `its description has ${description.length} characters, at most ${DESCRIPTION_CHARS_MAX} are shown`
  if (execution?.taskSupport === 'required') return 'it is called as a task of the protocol only'
  const { properties = {} } = inputSchema
  const odd = Object.keys(properties).find((arg) => !ARGUMENT_NAME.test(arg))
  if (odd !== undefined)
    return `its argument ${JSON.stringify(odd.slice(0, 64))} is not of at most 64 letters, digits, \`_\`, \`.\`, \`$\` and \`-\``
  try {
    guardJson(inputSchema, { depthMax: SCHEMA_DEPTH_MAX, bytesMax: SCHEMA_BYTES_MAX })
    return null
  } catch (error) {
    return `its schema is refused: ${error instanceof Error ? error.message : String(error)}`
  }
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
