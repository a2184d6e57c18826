import { z } from '@hono/zod-openapi'
import { act } from '@treeos/client'
import { TreeosError } from '@treeos/core'
import type { Context } from 'hono'
import type { Env, Portal } from '../portal.ts'
import { answers, anyObject, body, newApi, operation, text } from './operation.ts'

const server = text(64).min(1)
const tool = z.record(
  z.string(),
  z.object({ digest: z.string(), accepted: z.boolean().nullable(), read: z.boolean() }),
)

const Server = z
  .object({
    server: z.string(),
    at: z.string().openapi({ description: 'its command or its address' }),
    secrets: z.array(z.string()).readonly().openapi({ description: 'their names' }),
    ask: anyObject('whom to ask before a call of a tool that is no read').nullable(),
    tools: tool.openapi({ description: 'by name' }),
  })
  .openapi('ToolServer')

const Kept = z
  .object({
    server: z.string(),
    accepted: z
      .boolean()
      .openapi({ description: 'false where no worker ran, so that it is still to be accepted' }),
    tools: z.record(z.string(), z.string()).openapi({ description: 'digests by the name of the tool' }),
    reads: z.array(z.string()).readonly(),
    askedBefore: z.array(z.string()).readonly().optional(),
  })
  .openapi('KeptToolServer')

const part = z.string().nullable()
const Check = z
  .object({
    server: z.string(),
    changes: z.array(z.object({ tool: z.string(), part: z.string(), accepted: part, now: part })).readonly(),
    leftOut: z.record(z.string(), z.string()),
    fault: part,
  })
  .openapi('ToolServerCheck')

// What these tell of the machine, and do to it, is its operator's alone.
const OF_OPERATOR = { 'x-caller': 'first-operator', 'x-work': 'heavy' } as const
const CHANGES = { ...OF_OPERATOR, method: 'post' } as const

const listing = operation({
  ...OF_OPERATOR,
  method: 'get',
  path: '/tools',
  operationId: 'tools',
  tags: ['tools'],
  summary: 'Outside MCP servers, their tools and what the record holds of them',
  responses: answers(z.array(Server).readonly(), 'the servers'),
})

const checking = operation({
  ...OF_OPERATOR,
  method: 'get',
  path: '/tools/check',
  operationId: 'checkTools',
  tags: ['tools'],
  summary: 'Where the tools of servers differ from what was accepted',
  request: { query: z.object({ server: server.optional() }) },
  responses: answers(z.array(Check).readonly(), 'by server'),
})

const adding = operation({
  ...CHANGES,
  path: '/tools',
  operationId: 'addTools',
  tags: ['tools'],
  summary: 'Name a server by its address, and accept the tools that it has now',
  description:
    'By the operator in person. A server that is a command, or gets a secret, is named on the machine of its worker.',
  request: {
    body: body(
      z.strictObject({
        server,
        url: text(2048).min(1),
        timeoutSeconds: z.number().optional(),
        ask: z.strictObject({ who: z.array(text(200)).max(16) }).optional(),
        reads: z.array(text(64)).max(128).optional(),
      }),
    ),
  },
  responses: answers(Kept, 'what was accepted'),
})

const accepting = operation({
  ...CHANGES,
  path: '/tools/accept',
  operationId: 'acceptTools',
  tags: ['tools'],
  summary: 'Accept the tools of a server as they are now, or one of them',
  description: 'By the operator in person.',
  request: {
    body: body(z.strictObject({ named: text(200).min(1).openapi({ example: 'files:read_file' }) })),
  },
  responses: answers(Kept, 'what was accepted'),
})

const removing = operation({
  ...CHANGES,
  path: '/tools/remove',
  operationId: 'removeTools',
  tags: ['tools'],
  summary: 'Forget a server: its tools are not operations any more',
  description: 'By the operator in person.',
  request: { body: body(z.strictObject({ server })) },
  responses: answers(z.object({ removed: z.string() }), 'its name'),
})

const extensions = operation({
  method: 'get',
  path: '/extensions',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'extensions',
  summary: 'The extensions that workers load, and what each brings',
  tags: ['world'],
  responses: answers(z.array(anyObject('an extension')).readonly(), 'the extensions'),
})

/** What workers load: tools of outside servers, and extensions. */
export const toolRoutes = ({ machine }: Pick<Portal, 'machine'>) =>
  newApi()
    .openapi(listing, async (c) => c.json(await machine.tools.list(), 200))
    .openapi(checking, async (c) =>
      c.json(await machine.tools.check(c.req.valid('query').server ?? null), 200),
    )
    .openapi(adding, async (c) => {
      const { server, ...given } = c.req.valid('json')
      return c.json(await machine.tools.add(server, given, inPerson(c)), 200)
    })
    .openapi(accepting, async (c) =>
      c.json(await machine.tools.accept(c.req.valid('json').named, inPerson(c)), 200),
    )
    .openapi(removing, async (c) => {
      const { server: removed } = c.req.valid('json')
      await machine.tools.remove(removed, inPerson(c))
      return c.json({ removed }, 200)
    })
    .openapi(extensions, async (c) => c.json(await machine.extensions(), 200))

/**
 * How a change puts into the record what is accepted: as an act of who asks.
 * @throws {TreeosError} FORBIDDEN for a program: whoever found its token would have workers call a server of their own
 */
function inPerson(c: Context<Env>) {
  const { at, being } = c.get('visit')
  if (at.isProgram === true)
    throw new TreeosError('FORBIDDEN', 'tools of outside servers are accepted in person, not by a program')
  return async (args: {
    readonly server: string
    readonly tools: object
    readonly reads: readonly string[]
  }) => {
    await act(at, being, {
      verb: 'do',
      target: '/',
      operation: 'tools:accept',
      args: { server: args.server, tools: { ...args.tools }, reads: [...args.reads] },
    })
  }
}
