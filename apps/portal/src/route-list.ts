import { apiOf } from './api/api.ts'
import { routesOf } from './app.ts'
import { Tabs } from './inhabit/tabs.ts'
import type { Portal } from './portal.ts'
import { Streams } from './routes/streams.ts'

export interface Route {
  readonly method: string
  readonly path: string
}

/** Every route of the router, once: tests try each of them. The type of the router itself stays within the package. */
export function listRoutes(portal: Portal): Route[] {
  const all = routesOf(portal, apiOf(portal), new Streams(), new Tabs(portal.onError)).routes.filter(
    ({ method }) => method !== 'ALL',
  )
  return [...new Map(all.map(({ method, path }) => [`${method} ${path}`, { method, path }])).values()]
}
