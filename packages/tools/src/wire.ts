import { isJSONRPCRequest, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { isJsonObject, type Json, type JsonObject } from '@treeos/core'

/**
 * The library holds each result to the schema of its protocol as a whole: one part of another form, and the
 * answer of a tool that ran would be lost, or a server with one odd tool would have none. So what a server
 * wrote is handed through the library as text, within a result that has the form which it asks for.
 */
const WRITTEN = 'treeos/written'

/** What each method answers, in the form of the protocol, with what the server wrote as text. */
const ENVELOPES: Readonly<Record<string, (text: string) => JsonObject>> = {
  'tools/call': (text) => ({ content: [], _meta: { [WRITTEN]: text } }),
  'tools/list': (text) => ({
    tools: [{ name: 'written', inputSchema: { type: 'object' }, _meta: { [WRITTEN]: text } }],
    ...{ ttlMs: 0, cacheScope: 'private' }, // the current revision asks for both
  }),
}

/**
 * Lets results of any form through a transport that is connected.
 * @param isModern whether the revision of the protocol asks for `resultType`
 */
export function admitAnyResult(transport: Transport, isModern: boolean): void {
  const asked = new Map<string | number, string>()
  const [send, deliver] = [transport.send.bind(transport), transport.onmessage?.bind(transport)]
  transport.send = (message, options) => {
    if (isJSONRPCRequest(message) && Object.hasOwn(ENVELOPES, message.method))
      asked.set(message.id, message.method)
    return send(message, options)
  }
  transport.onmessage = (message, extra) => {
    const id = 'method' in message ? undefined : message.id
    const method = id === undefined ? undefined : asked.get(id)
    if (id !== undefined) asked.delete(id)
    deliver?.(method === undefined ? message : enveloped(method, message, isModern), extra)
  }
}

function enveloped(method: string, message: JSONRPCMessage, isModern: boolean): JSONRPCMessage {
  if (!('result' in message)) return message
  const result = message.result as JsonObject
  if (result.resultType === 'input_required') return message // asks us something, so it has no answer yet
  const { nextCursor } = result
  return {
    ...message,
    result: {
      ...ENVELOPES[method]?.(JSON.stringify(result)),
      ...(typeof nextCursor === 'string' && nextCursor !== '' ? { nextCursor } : {}),
      ...(isModern ? { resultType: 'complete' } : {}),
    },
  } as JSONRPCMessage
}

/** What the server answered to a call. */
export const writtenAnswer = (result: unknown): unknown => writtenIn(result)

/** The tools that it listed, over all pages. */
export const writtenTools = (listed: readonly unknown[]): unknown[] =>
  listed.flatMap((page) => {
    const { tools = [] } = writtenIn(page) as { readonly tools?: unknown }
    return Array.isArray(tools) ? tools : []
  })

function writtenIn(part: unknown): unknown {
  const meta = isJsonObject(part) ? (part._meta ?? null) : null
  const text: Json | undefined = isJsonObject(meta) ? meta[WRITTEN] : undefined
  if (typeof text !== 'string') throw new Error('a result of a tool server came past its connection')
  return JSON.parse(text)
}
