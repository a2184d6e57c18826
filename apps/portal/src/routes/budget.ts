import { authorizePast, budget } from '@treeos/client'
import { requireBeingName } from '@treeos/core'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Env } from '../portal.ts'
import { input } from './input.ts'

/** What a being may use up, and what it used: for those who may look into its past. */
export const budgetRoutes = () =>
  new Hono<Env>().get(
    '/beings/:name/budget',
    input('param', z.object({ name: z.string().min(1).max(80) })),
    async (c) => {
      const { at, being: me } = c.get('visit')
      const being = requireBeingName(c.req.valid('param').name)
      await authorizePast(at, me, being)
      return c.json(await budget(at, being))
    },
  )
