import { budget } from '@treeos/client'
import { Hono } from 'hono'
import type { Env } from '../portal.ts'
import { input, ofBeing } from './input.ts'

/** What a being may use up, and what it used. */
export const budgetRoutes = () =>
  new Hono<Env>().get('/beings/:name/budget', input('param', ofBeing), async (c) =>
    c.json(await budget(c.get('visit').at, c.req.valid('param').name)),
  )
