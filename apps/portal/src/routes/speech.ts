import {
  act,
  type Connection,
  cancel,
  closeInbox,
  converse,
  inbox,
  reply,
  see,
  summon,
  threadsOf,
} from '@treeos/client'
import {
  type BeingName,
  type Json,
  parseCall,
  parseStance,
  requireContent,
  stanceOf,
  TreeosError,
  type VerbCall,
} from '@treeos/core'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Env } from '../portal.ts'
import { input, ofBeing } from './input.ts'

const THREADS_MAX = 200
/** Checked by the domain itself, whose messages name what would be right. */
const content = z.unknown().transform((value) => requireContent(value, 'content'))
const id = z.string().min(1).max(200)

/** What is said: the inbox, threads, and the four verbs. */
export const speechRoutes = () =>
  new Hono<Env>()
    .get('/inbox', async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await inbox(at, being))
    })
    .post('/inbox/reply', input('json', z.object({ correlation: id, content })), async (c) => {
      const { at, being: as } = c.get('visit')
      const { correlation } = await reply(at, { ...c.req.valid('json'), as, waitSeconds: null })
      return c.json({ correlation })
    })
    .post(
      '/inbox/close',
      input(
        'json',
        z.object({ how: z.enum(['read', 'dismissed']), entries: z.array(id).max(500).nullable() }),
      ),
      async (c) => {
        const { at, being: as } = c.get('visit')
        return c.json(await closeInbox(at, { as, ...c.req.valid('json') }))
      },
    )
    .get(
      '/threads',
      input('query', z.object({ all: z.enum(['true', 'false']).default('true') })),
      async (c) => {
        const { at, being } = c.get('visit')
        const all = c.req.valid('query').all === 'true'
        return c.json(await threadsOf(at, being, { last: THREADS_MAX, all }))
      },
    )
    .get('/threads/:id', input('param', z.object({ id })), async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await converse(at, being, c.req.valid('param').id))
    })
    .post('/beings/:name/cancel', input('param', ofBeing), async (c) => {
      const { at, being: as } = c.get('visit')
      return c.json(await cancel(at, { as, being: c.req.valid('param').name }))
    })
    .post('/verb', input('json', z.object({ call: z.unknown() })), async (c) => {
      const { at, being } = c.get('visit')
      const call = parseCall(c.req.valid('json').call as Json)
      if (call.verb === 'see')
        return c.json({ done: 'see' as const, result: await see(at, being, call.address) })
      if (call.verb === 'summon')
        return c.json({ done: 'summon' as const, result: await say(at, being, call) })
      return c.json({ done: call.verb, result: await act(at, being, call) })
    })

type Summons = Extract<VerbCall, { verb: 'summon' }>

/** @throws {TreeosError} INVALID_INPUT for what a person says elsewhere, or not by the portal */
async function say(at: Connection, as: BeingName, call: Summons): Promise<{ correlation: string }> {
  const { content, priority, role, thread, channel, expectReply } = call
  const elsewhere = (['inReplyTo', 'orientation', 'overlay'] as const).find((name) => call[name] != null)
  if (elsewhere !== undefined)
    throw new TreeosError(
      'INVALID_INPUT',
      `a summon takes no ${elsewhere} here; answers go by /api/inbox/reply`,
    )
  const target = parseStance(call.target ?? stanceOf(as))
  const said = { content, priority, role, thread, channel, expectReply }
  const { correlation } = await summon(at, { ...said, target, as, waitSeconds: null })
  return { correlation }
}
