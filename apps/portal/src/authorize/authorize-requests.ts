import { authorizeAllPasts, authorizePast } from '@treeos/client'
import { requireBeingName, TreeosError } from '@treeos/core'
import { type Context, Hono } from 'hono'
import { findSession } from '../accounts/sessions.ts'
import { sessionCookie } from '../edge/cookies.ts'
import { pace } from '../edge/pace.ts'
import type { Tabs } from '../inhabit/tabs.ts'
import type { Env, Portal, Visit } from '../portal.ts'
import { visitOf } from './visit.ts'
import { authorizedRoutes, type Caller } from './who-may-call.ts'

/** The header in which the page sends its half of the session. */
const KEY_HEADER = 'x-treeos-key'
/** The header in which a tab that drives a being sends its secret. */
const TAB_HEADER = 'x-treeos-tab'
const SAFE = new Set(['GET', 'HEAD'])

/**
 * Lets a request through to its route when its caller may call that route, as `who-may-call.ts` lists it, and finds out as whom
 * it acts. The routes come after this.
 */
export function authorizeRequests(portal: Portal, tabs: Tabs): Hono<Env> {
  const strangers = pace({ points: 5, burst: 35 })
  const people = pace({ points: 40, burst: 160 })
  const changes = pace({ points: 1, seconds: 2, burst: 60 })

  async function requireVisit(c: Context<Env>): Promise<Visit> {
    const cookie = sessionCookie(c.req.raw, c.get('host')) ?? ''
    const key = c.req.header(KEY_HEADER) ?? ''
    const session = await findSession(portal.store, { cookie, key })
    if (session === null) {
      await strangers('all')
      throw new TreeosError('UNAUTHORIZED', 'sign in first')
    }
    await people(session.id)
    return visitOf(portal, tabs, session, { cookie, key, handle: c.req.header(TAB_HEADER) })
  }

  async function requirePerson(c: Context<Env>, { handle, being, person }: Visit): Promise<void> {
    if (handle !== null)
      throw new TreeosError(
        'FORBIDDEN',
        `this tab drives @${being}: do this in a tab in which you act as yourself, @${person}`,
        { reason: 'driving' },
      )
    if (!SAFE.has(c.req.method)) await changes(person)
  }

  async function authorize(c: Context<Env>, caller: Caller): Promise<void> {
    if (caller === 'anybody') return strangers('all')
    const visit = await requireVisit(c)
    const { at, being } = visit
    if (caller === 'past-open') await authorizePast(at, being, requireBeingName(c.req.param('name')))
    if (caller === 'first-operator') await authorizeAllPasts(at, being)
    if (caller === 'person' || caller === 'person-signed-in-lately') await requirePerson(c, visit)
    if (caller === 'person-signed-in-lately' && !visit.isFresh)
      throw new TreeosError(
        'FORBIDDEN',
        'you signed in more than 15 minutes ago: sign in again, and then change this',
        { reason: 'sign-in-again' },
      )
    c.set('visit', visit)
  }

  const app = new Hono<Env>()
  for (const { method, path, caller } of authorizedRoutes)
    app.on(method, path, async (c, next) => {
      await authorize(c, caller)
      c.set('isAuthorized', true)
      await next()
    })
  return app.use('/api/*', async (c, next) => {
    if (c.get('isAuthorized')) return next()
    await requireVisit(c) // whoever has no session learns no route
    throw new TreeosError('ACTION_NOT_SUPPORTED', 'nothing is at this address')
  })
}
