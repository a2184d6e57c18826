import { isJsonObject, type Json, type JsonObject, requireContent } from '@treeos/core'

/**
 * Which operation a being asks for: by its own call, by a summon to one that does it for the sender, or as
 * part of another.
 */
export interface OperationRequest {
  readonly verb: 'do' | 'be'
  readonly operation: string
  /** null: the operation's default target for the actor */
  readonly target: string | null
  readonly args: JsonObject
  /** handle of an overlay; only a being's own call has one */
  readonly overlay?: string
}

/**
 * Reads `{do: operation, target?, …arguments}` or `{be: operation, …arguments}`, or the same as JSON text, as
 * people type it.
 * @returns null for content that asks for no operation
 * @throws {TreeosError} INVALID_INPUT for text that names an operation and holds what cannot be kept as it was
 *   written, such as an integer beyond 2^53; it names the place
 */
export function parseRequest(content: Json): OperationRequest | null {
  const request = typeof content === 'string' ? parseText(content) : content
  const found = requestIn(request)
  // Other content passed a door, which looked at its numbers and texts.
  if (found !== null && typeof content === 'string') requireContent(request, 'the request')
  return found
}

function requestIn(request: Json): OperationRequest | null {
  if (!isJsonObject(request)) return null
  if (Object.hasOwn(request, 'be')) {
    const { be: operation, ...args } = request
    return typeof operation === 'string' ? { verb: 'be', operation, target: null, args } : null
  }
  if (!Object.hasOwn(request, 'do')) return null
  const { do: operation, target = null, ...args } = request
  if (typeof operation !== 'string' || (target !== null && typeof target !== 'string')) return null
  return { verb: 'do', operation, target, args }
}

function parseText(text: string): Json {
  if (!text.trimStart().startsWith('{')) return null
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
