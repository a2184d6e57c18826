import { describeWorn, refusalOf, usesOf } from '@treeos/client'
import { stanceOf } from '@treeos/core'
import { Hono } from 'hono'
import { endSessions } from '../accounts/sessions.ts'
import { setCookie } from '../edge/cookies.ts'
import type { Env, Portal } from '../portal.ts'
import type { SessionLeaver } from './session-end.ts'

/** The own session of a person. */
export const sessionRoutes = ({ store, temporal, machine }: Portal, leave: SessionLeaver) =>
  new Hono<Env>()
    .get('/session', async (c) => {
      const { at, being, person, lease } = c.get('visit')
      const { role, stacked, space, surface } = await describeWorn(at, being).catch((error: unknown) => {
        // A person whose flow gives no role now is signed in nevertheless.
        if (refusalOf(error).code === 'ROLE_UNAVAILABLE')
          return { role: null, stacked: [], space: null, surface: null }
        throw error
      })
      const { name: reality, timeZone } = at.reality
      return c.json({
        stance: stanceOf(being),
        person: stanceOf(person),
        driver: lease === null ? null : stanceOf(lease.driver),
        role,
        stacked,
        space,
        reality,
        timeZone,
        currency: machine.currency(),
        uses: await usesOf(at, being, surface),
        temporalUi: temporal.ui,
      })
    })
    .post('/sign-out', async (c) => {
      const { person, session: id } = c.get('visit')
      leave(await endSessions(store, person, { id }))
      c.header('set-cookie', setCookie(c.req.raw, c.get('host'), null))
      return c.json({ signedOut: true })
    })
