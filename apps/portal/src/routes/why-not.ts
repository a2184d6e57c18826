import { whyNotRole } from '@treeos/client'
import { type Json, parseCall, requireBeingName, requireRoleName } from '@treeos/core'
import { whyNotAct } from '@treeos/replay/why-not'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Env } from '../portal.ts'
import { input } from './input.ts'

const moment = z.object({
  name: z.string().min(1).max(80),
  n: z.coerce.number().int().min(1).max(2_147_483_647),
})

/** What would have had to be otherwise in a past moment, as `treeos why-not`. Asks no model and writes nothing. */
export const whyNotRoutes = () =>
  new Hono<Env>()
    .post(
      '/beings/:name/moments/:n/why-not/role',
      input('param', moment),
      input('json', z.object({ role: z.string().max(200) })),
      async (c) => {
        const { name, n } = c.req.valid('param')
        const { db } = c.get('visit').at
        return c.json(
          await whyNotRole(db, requireBeingName(name), n, requireRoleName(c.req.valid('json').role)),
        )
      },
    )
    .post(
      '/beings/:name/moments/:n/why-not/act',
      input('param', moment),
      input('json', z.object({ call: z.unknown() })),
      async (c) => {
        const { at } = c.get('visit')
        const { name, n } = c.req.valid('param')
        const being = requireBeingName(name)
        return c.json(await whyNotAct(at, { being, n, call: parseCall(c.req.valid('json').call as Json) }))
      },
    )
