import { parseStance, TreeosError } from '@treeos/core'
import { Hono } from 'hono'
import { z } from 'zod'
import { shownLease, type Tabs } from '../inhabit/tabs.ts'
import type { Env, Visit } from '../portal.ts'
import { input } from './input.ts'

/** A tab begins to drive a being, shows that it lives, goes away, and gives the being back. */
export const inhabitRoutes = (tabs: Tabs) =>
  new Hono<Env>()
    .post('/inhabit', input('json', z.object({ being: z.string().max(80) })), async (c) => {
      const { at, being: as, session } = c.get('visit')
      const being = parseStance(c.req.valid('json').being)
      const { handle, lease } = await tabs.take(at, { session, as, being })
      return c.json({ handle, ...shownLease(lease) })
    })
    .post('/inhabit/renew', async (c) => {
      const { handle, lease } = driving(c.get('visit'))
      if (await tabs.renew(handle)) return c.json(shownLease(lease))
      throw new TreeosError('FORBIDDEN', 'this tab drives nobody any more', { reason: 'lease-over' })
    })
    .post('/inhabit/leave', (c) => {
      tabs.leave(driving(c.get('visit')).handle)
      return c.json({ leaving: true })
    })
    .post('/inhabit/release', async (c) => {
      const visit = c.get('visit')
      await tabs.release(driving(visit).handle, visit.at.sign)
      return c.json({ released: true })
    })

/** @throws {TreeosError} INVALID_INPUT in a tab of a person that acts as itself */
function driving({ handle, lease }: Visit) {
  if (handle !== null && lease !== null) return { handle, lease }
  throw new TreeosError('INVALID_INPUT', 'this tab drives nobody: you act as yourself here')
}
