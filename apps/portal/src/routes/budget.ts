import { budget } from '@treeos/client'
import { requireBeingName } from '@treeos/core'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Env } from '../portal.ts'
import { input } from './input.ts'

/** What a being may use up, and what it used. */
export const budgetRoutes = () =>
  new Hono<Env>().get(
    '/beings/:name/budget',
    input('param', z.object({ name: z.string().min(1).max(80) })),
    async (c) => {
      const { name } = c.req.valid('param')
      return c.json(await budget(c.get('visit').at, requireBeingName(name)))
    },
  )
