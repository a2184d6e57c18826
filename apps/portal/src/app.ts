import { refusalOf } from '@treeos/client'
import { ERROR_STATUS, TreeosError } from '@treeos/core'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { findSession } from './accounts/sessions.ts'
import { sessionCookie } from './edge/cookies.ts'
import { secureHeaders } from './edge/headers.ts'
import { requireOwnName } from './edge/names.ts'
import { pace } from './edge/pace.ts'
import type { Page } from './edge/page.ts'
import { requireOwnPage } from './edge/same-site.ts'
import type { Tabs } from './inhabit/tabs.ts'
import type { Env, Portal } from './portal.ts'
import { accountRoutes } from './routes/account.ts'
import { budgetRoutes } from './routes/budget.ts'
import { leaveOf } from './routes/ended.ts'
import { healthRoutes } from './routes/health.ts'
import { inhabitRoutes } from './routes/inhabit.ts'
import { liveRoutes } from './routes/live.ts'
import { logRoutes } from './routes/log.ts'
import { openRoutes } from './routes/open.ts'
import { overlayRoutes } from './routes/overlays.ts'
import { peopleRoutes } from './routes/people.ts'
import { reachRoutes } from './routes/reach.ts'
import { recordRoutes } from './routes/record.ts'
import { roleRoutes } from './routes/roles.ts'
import { sessionRoutes } from './routes/session.ts'
import { speechRoutes } from './routes/speech.ts'
import type { Streams } from './routes/streams.ts'
import { whyNotRoutes } from './routes/why-not.ts'
import { worldRoutes } from './routes/world.ts'
import { visitOf } from './authorize/visit.ts'

/** The header in which the page sends its half of the session. */
const KEY_HEADER = 'x-treeos-key'
/** The header in which a tab that drives a being sends its secret. */
const TAB_HEADER = 'x-treeos-tab'
const BODY_BYTES_MAX = 384 * 1024 // an act takes 256 KiB, and JSON escapes some of it

export interface AppOptions {
  readonly names: ReadonlySet<string>
  readonly streams: Streams
  readonly tabs: Tabs
}

/** All routes. Those under `/api/open` need no session, and every other one below `/api` does. */
export const routesOf = (portal: Portal, streams: Streams, tabs: Tabs) => {
  const leave = leaveOf(portal, streams, tabs)
  return new Hono<Env>()
    .route('/api/open', openRoutes(portal))
    .route('/api/open/log', logRoutes(portal))
    .route('/api/account', accountRoutes(portal, leave))
    .route('/api/people', peopleRoutes(portal, leave))
    .route('/api', sessionRoutes(portal, leave))
    .route('/api', worldRoutes(portal))
    .route('/api', speechRoutes())
    .route('/api', recordRoutes(portal))
    .route('/api', healthRoutes(portal))
    .route('/api', roleRoutes())
    .route('/api', whyNotRoutes())
    .route('/api', liveRoutes(portal, streams, tabs))
    .route('/api', inhabitRoutes(tabs))
    .route('/api', reachRoutes())
    .route('/api', overlayRoutes())
    .route('/api', budgetRoutes())
}

/** What the page knows of the routes. */
export type Routes = ReturnType<typeof routesOf>

export function createApp(portal: Portal, page: Page, { names, streams, tabs }: AppOptions): Hono<Env> {
  const strangers = pace({ points: 5, burst: 35 })
  const people = pace({ points: 40, burst: 160 })
  const app = new Hono<Env>()
  app.onError((error, c) => {
    if (!(error instanceof TreeosError)) portal.onError(c.req.routePath, error)
    const refusal = refusalOf(error)
    return c.json({ error: refusal.toJSON() }, ERROR_STATUS[refusal.code] as ContentfulStatusCode)
  })
  app.use(async (c, next) => {
    c.set('host', requireOwnName(c.req.header('host'), names))
    await next()
  })
  app.use('/api/*', async (c, next) => {
    for (const [name, value] of Object.entries(secureHeaders(null))) c.header(name, value)
    c.header('cache-control', 'no-store')
    requireOwnPage(c.req.raw, c.get('host'))
    await next()
  })
  app.use(
    '/api/*',
    bodyLimit({
      maxSize: BODY_BYTES_MAX,
      onError: () => {
        throw new TreeosError('PAYLOAD_TOO_LARGE', `the request is larger than ${BODY_BYTES_MAX} bytes`)
      },
    }),
  )
  app.use('/api/*', async (c, next) => {
    if (c.req.path.startsWith('/api/open/')) {
      await strangers('all')
      return next()
    }
    const cookie = sessionCookie(c.req.raw, c.get('host')) ?? ''
    const key = c.req.header(KEY_HEADER) ?? ''
    const session = await findSession(portal.store, { cookie, key })
    if (session === null) {
      await strangers('all')
      throw new TreeosError('UNAUTHORIZED', 'sign in first')
    }
    await people(session.id)
    const handle = c.req.header(TAB_HEADER)
    c.set('visit', await visitOf(portal, tabs, session, { cookie, key, handle }))
    return next()
  })
  app.route('/', routesOf(portal, streams, tabs))
  app.all('/api/*', () => {
    throw new TreeosError('ACTION_NOT_SUPPORTED', 'nothing is at this address')
  })
  app.get('*', (c) => page.answer(c.req.path, c.req.header('accept-encoding')))
  return app
}
