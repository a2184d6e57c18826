import { describeSelf, refusalOf } from '@treeos/client'
import { stanceOf, TreeosError } from '@treeos/core'
import { Hono } from 'hono'
import { z } from 'zod'
import { findLink, useLink } from '../accounts/links.ts'
import { beginSession, endSession } from '../accounts/sessions.ts'
import { signIn } from '../accounts/sign-in.ts'
import { setCookie } from '../edge/cookies.ts'
import type { Tabs } from '../inhabit/tabs.ts'
import type { Env, Portal } from '../portal.ts'
import { input } from './input.ts'
import type { Streams } from './streams.ts'

const password = z.string().min(1).max(1024)

/** Signing in: what a request without a session may ask. */
export const openRoutes = ({ store }: Portal) =>
  new Hono<Env>()
    .post('/sign-in', input('json', z.object({ name: z.string().min(1).max(80), password })), async (c) => {
      const { cookie, key, being } = await signIn(store, c.req.valid('json'))
      c.header('set-cookie', setCookie(c.req.raw, c.get('host'), cookie))
      return c.json({ key, stance: stanceOf(being) })
    })
    .post('/link/look', input('json', z.object({ token: z.string().max(100) })), async (c) => {
      const being = await findLink(store, c.req.valid('json').token)
      if (being === null)
        throw new TreeosError(
          'UNAUTHORIZED',
          'this link was used before, or is over: `treeos link` makes another one',
        )
      return c.json({ stance: stanceOf(being) })
    })
    .post('/link/use', input('json', z.object({ token: z.string().max(100), password })), async (c) => {
      const { token, password } = c.req.valid('json')
      const being = await useLink(store, token, password)
      const { cookie, key } = await beginSession(store, being)
      c.header('set-cookie', setCookie(c.req.raw, c.get('host'), cookie))
      return c.json({ key, stance: stanceOf(being) })
    })

/** The own session of a person. */
export const sessionRoutes = ({ store, temporal, onError }: Portal, streams: Streams, tabs: Tabs) =>
  new Hono<Env>()
    .get('/session', async (c) => {
      const { at, being, person, lease } = c.get('visit')
      const { role, stacked, space } = await describeSelf(at, being).catch((error: unknown) => {
        // A person whose flow gives no role now is signed in nevertheless.
        if (refusalOf(error).code === 'ROLE_UNAVAILABLE') return { role: null, stacked: [], space: null }
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
        temporalUi: temporal.ui,
      })
    })
    .post('/sign-out', async (c) => {
      const { cookie } = c.get('visit')
      await endSession(store, cookie)
      streams.endOf(cookie)
      // Nobody waits for it: without a worker the leases run out.
      tabs.releaseOf(cookie).catch((error: unknown) => onError('release', error))
      c.header('set-cookie', setCookie(c.req.raw, c.get('host'), null))
      return c.json({ signedOut: true })
    })
