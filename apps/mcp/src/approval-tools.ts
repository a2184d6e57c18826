import { act, approvalsPage, callSentence, type Seat } from '@treeos/client'
import {
  fieldFault,
  isJsonObject,
  type Json,
  type JsonObject,
  parseCall,
  readText,
  stanceOf,
  TreeosError,
} from '@treeos/core'

/** Calls that are listed at once. */
const PAGE = 50

type ApprovalProperties = Record<string, { type: string; description: string }>

const ID = { type: 'string', description: 'of what waits, as list_approvals says it' }
const WHY = { type: 'string', description: 'for whoever asked' }
const ARGUMENTS = { type: 'object', description: 'arguments in place of those that were asked about' }

/**
 * Calls that rules ask a person about. Only the seat of a person has these tools: no being says yes to
 * another, or to itself.
 */
export const APPROVAL_TOOLS = [
  tool(
    'list_approvals',
    `List the calls that wait for my yes, oldest first, ${PAGE} at a time.`,
    { cursor: { type: 'string', description: '`next` of the page before' } },
    [],
  ),
  tool('approve', 'Say yes to a call that waits.', { id: ID, args: ARGUMENTS }, ['id']),
  tool('deny', 'Say no to a call that waits.', { id: ID, why: WHY }, ['id']),
] as const

function tool(name: string, description: string, properties: ApprovalProperties, required: string[]) {
  return {
    name,
    description,
    inputSchema: { type: 'object' as const, properties, required },
    annotations: { readOnlyHint: name === 'list_approvals', openWorldHint: false },
  }
}

/**
 * Lists what waits for the person of the seat, or answers it.
 * @throws {TreeosError} INVALID_INPUT; else the refusal of the act
 */
export function callApprovalTool(seat: Seat, tool: string, args: JsonObject): Promise<object> {
  if (tool === 'list_approvals')
    return seat.use(async (at, being) => {
      const after = readText(args, 'cursor') ?? undefined
      const { items, next } = await approvalsPage(at, being, { after, limit: PAGE })
      return { approvals: items.map((item) => ({ ...item, text: callSentence(item.call) })), next }
    })
  const id = readText(args, 'id')
  if (id === null) throw new TreeosError('INVALID_INPUT', 'id is missing; it takes a text')
  const why = tool === 'deny' ? readText(args, 'why') : null
  const changed = tool === 'approve' ? changedIn(args.args) : {}
  return seat.act((at, being) =>
    act(
      at,
      being,
      parseCall({
        verb: 'do',
        operation: tool,
        target: stanceOf(being),
        args: { id, ...changed, ...(why === null ? {} : { why }) },
      }),
    ),
  )
}

/**
 * Other arguments than those that were asked about. A client may write an object as text; anything else must
 * not be lost without a word.
 */
function changedIn(value: Json | undefined): { readonly args?: JsonObject } {
  if (value == null || value === '') return {}
  const args = typeof value === 'string' ? parsedArguments(value) : value
  if (isJsonObject(args)) return { args }
  throw fieldFault('args', value, 'an object')
}

function parsedArguments(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
