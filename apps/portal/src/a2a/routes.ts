import { AgentCard } from '@a2a-js/sdk'
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server'
import { z } from '@hono/zod-openapi'
import { quote } from '@treeos/core'
import { anyObject, body, newApi, ofBeing, operation } from '../api/operation.ts'
import { A2A_PATH } from '../api/path.ts'
import { streamEvents } from '../edge/event-stream.ts'
import type { Portal } from '../portal.ts'
import { PROTOCOL, publicCard } from './card.ts'
import { BeingHandler } from './handler.ts'

const VERSION_HEADER = 'a2a-version'
const CARD_PATH = '/.well-known/agent-card.json'

const responses = {
  200: {
    description: 'a card',
    content: { 'application/json': { schema: anyObject<object>('an agent card') } },
  },
} as const

const front = operation({
  method: 'get',
  path: CARD_PATH,
  'x-caller': 'anybody',
  'x-work': 'open',
  operationId: 'agentCard',
  summary: 'The card of the being that stands for the reality',
  tags: ['a2a'],
  responses,
})

const one = operation({
  method: 'get',
  path: `${A2A_PATH}/{name}${CARD_PATH}`,
  'x-caller': 'anybody',
  'x-work': 'open',
  operationId: 'agentCardOf',
  summary: 'The card of a being that is public',
  tags: ['a2a'],
  request: { params: ofBeing },
  responses,
})

const calling = operation({
  method: 'post',
  path: `${A2A_PATH}/{name}`,
  'x-caller': 'signed-in',
  'x-work': 'chat',
  operationId: 'a2a',
  summary: 'A2A 1.0 over JSON-RPC: messages to a being, and tasks',
  tags: ['a2a'],
  request: { params: ofBeing, body: body(z.looseObject({ jsonrpc: z.literal('2.0') })) },
  responses: {
    200: {
      description: 'an answer of JSON-RPC, or a stream of them',
      content: {
        'application/json': { schema: anyObject<object>('an answer of JSON-RPC') },
        'text/event-stream': { schema: z.string() },
      },
    },
  },
})

/** Beings that are public, for agents of others. */
export const a2aRoutes = (portal: Portal) =>
  newApi()
    .openapi(front, async (c) =>
      c.json(AgentCard.toJSON(await publicCard(portal, null, c.get('origin'))) as object, 200),
    )
    .openapi(one, async (c) => {
      const card = await publicCard(portal, c.req.valid('param').name, c.get('origin'))
      return c.json(AgentCard.toJSON(card) as object, 200)
    })
    .openapi(calling, async (c) => {
      const being = c.req.valid('param').name
      const card = await publicCard(portal, being, c.get('origin'))
      const visit = c.get('visit')
      await c.get('turn').toWait()
      const handler = new BeingHandler({
        visit,
        being,
        card,
        page: `${c.get('origin')}/inbox`,
        signal: c.get('signal'),
        onError: portal.onError,
      })
      const asked = c.req.valid('json')
      const requestedVersion = c.req.header(VERSION_HEADER) ?? versionOf(asked)
      if (requestedVersion !== PROTOCOL) return c.json(otherVersion(asked, requestedVersion), 200)
      const context = new ServerCallContext({ requestedVersion })
      const answer = await new JsonRpcTransportHandler(handler).handle(asked, context)
      if (!(Symbol.asyncIterator in answer)) return c.json(answer as object, 200)
      return streamEvents(c, async (send) => {
        for await (const part of answer) await send({ data: part })
      })
    })

/** A2A 1.0, section 5.4 */
const VERSION_NOT_SUPPORTED = -32009

interface RpcRequest {
  readonly [field: string]: unknown
}

/** Clients of 0.3 name no version, but methods that 1.0 has no more. */
const versionOf = ({ method }: RpcRequest): string =>
  typeof method === 'string' && /^(message|tasks|agent)\//.test(method) ? '0.3' : PROTOCOL

/** Told before the message is read, since another version has messages of another form. */
const otherVersion = ({ id }: RpcRequest, version: string): object => ({
  jsonrpc: '2.0',
  id: typeof id === 'string' || typeof id === 'number' ? id : null,
  error: {
    code: VERSION_NOT_SUPPORTED,
    message: `A2A ${quote(version)} is not supported. Supported versions: ${PROTOCOL}`,
  },
})
