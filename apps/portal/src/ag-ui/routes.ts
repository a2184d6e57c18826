import { z } from '@hono/zod-openapi'
import { parseStance } from '@treeos/core'
import { body, newApi, operation, text } from '../api/operation.ts'
import { AG_UI_PATH } from '../api/path.ts'
import { streamEvents } from '../edge/event-stream.ts'
import type { Portal } from '../portal.ts'
import { agentRun, runInput } from './input.ts'
import { run } from './run.ts'

const running = operation({
  method: 'post',
  path: `${AG_UI_PATH}/{being}`,
  'x-caller': 'signed-in',
  'x-work': 'chat',
  operationId: 'agUiRun',
  summary: 'AG-UI 1.0: speak to a being, and hear what comes of it as events',
  tags: ['ag-ui'],
  request: {
    params: z.object({ being: text(200).min(1).openapi({ example: '@solomon' }) }),
    body: body(runInput),
  },
  responses: { 200: { description: 'events', content: { 'text/event-stream': { schema: z.string() } } } },
})

/** Beings as agents of AG-UI. */
export const agUiRoutes = ({ listener, onError }: Pick<Portal, 'listener' | 'onError'>) =>
  newApi().openapi(running, async (c) => {
    const { being: named } = c.req.valid('param')
    const being = parseStance(named.startsWith('@') ? named : `@${named}`)
    const asked = agentRun(c.req.valid('json'))
    const [visit, signal, page] = [c.get('visit'), c.get('signal'), `${c.get('origin')}/inbox`]
    await c.get('turn').toWait()
    return streamEvents(c, (send) =>
      run(asked, { visit, being, page, signal, listener, onError, send: (event) => send({ data: event }) }),
    )
  })
