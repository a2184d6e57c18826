import {
  deleteOverlay,
  overlays,
  see,
  setOverlay,
  setThreadOverlay,
  summon,
  threadOverlays,
} from '@treeos/client'
import { PRIORITIES, type Priority, parseStance, requireContent } from '@treeos/core'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Env } from '../portal.ts'
import { input } from './input.ts'

const id = z.string().min(1).max(200)
const text = z.string().max(64 * 1024)
const key = z.object({
  tier: z.string().max(40),
  name: z.string().max(1024),
  channel: z.string().max(1024).optional(),
})
const stored = key.extend({ content: text, appliesTo: z.array(z.string().max(200)).max(16).optional() })
const said = z.object({
  target: z.string().max(80),
  content: z.unknown().transform((value) => requireContent(value, 'content')),
  thread: id.optional(),
  channel: z.string().min(1).max(256).optional(),
  priority: z.enum(Object.keys(PRIORITIES) as [Priority, ...Priority[]]).optional(),
  role: z.string().max(80).optional(),
  expectReply: z.boolean().optional(),
  overlay: text.optional(),
})

/** Overlays: the stored ones, that of a thread, and a summon that brings one for its call. No route answers with a text twice. */
export const overlayRoutes = () =>
  new Hono<Env>()
    .get('/overlays', async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await overlays(at, being))
    })
    .post('/overlays', input('json', stored), async (c) => {
      const { at, being: as } = c.get('visit')
      const { content, appliesTo, ...request } = c.req.valid('json')
      const overlay = { content, ...(appliesTo === undefined ? {} : { appliesTo }) }
      return c.json(await setOverlay(at, { ...request, as }, overlay))
    })
    .post('/overlays/delete', input('json', key), async (c) => {
      const { at, being: as } = c.get('visit')
      return c.json(await deleteOverlay(at, { ...c.req.valid('json'), as }))
    })
    .get('/threads/:id/overlay', input('param', z.object({ id })), async (c) => {
      const { at, being } = c.get('visit')
      const thread = c.req.valid('param').id
      await see(at, being, `thread:${thread}`)
      return c.json(await threadOverlays(at, thread))
    })
    .post(
      '/threads/:id/overlay',
      input('param', z.object({ id })),
      input('json', z.object({ content: text.nullable() })),
      async (c) => {
        const { at, being: as } = c.get('visit')
        const { content } = c.req.valid('json')
        const thread = c.req.valid('param').id
        const overlay = content === null ? null : { content }
        return c.json(await setThreadOverlay(at, { as, thread, overlay }))
      },
    )
    .post('/say', input('json', said), async (c) => {
      const { at, being: as } = c.get('visit')
      const { target, overlay, ...rest } = c.req.valid('json')
      const { correlation, overlay: kept } = await summon(at, {
        ...rest,
        target: parseStance(target),
        as,
        waitSeconds: null,
        ...(overlay === undefined ? {} : { overlay: { content: overlay } }),
      })
      return c.json({ correlation, salt: kept?.salt ?? null })
    })
