import { openApiDocument } from './api/describe.ts'
import { operationsAround, routesOf } from './app.ts'
import { Tabs } from './inhabit/tabs.ts'
import type { Portal } from './portal.ts'
import { Streams } from './routes/streams.ts'

export interface Route {
  readonly method: string
  readonly path: string
}

/**
 * Every route of the router, once: tests try each of them. The type of the router itself stays within the
 * package.
 */
export function listRoutes(portal: Portal): Route[] {
  const around = { portal, streams: new Streams(), tabs: new Tabs(portal.onError) }
  const all = routesOf(operationsAround(around), around, async () => undefined).routes.filter(
    ({ method }) => method !== 'ALL',
  )
  return [...new Map(all.map(({ method, path }) => [`${method} ${path}`, { method, path }])).values()]
}

/** The description of the API, without a reality: the types of clients are made from it. */
export const describeApi = (): object =>
  openApiDocument(
    operationsAround({ portal: {} as Portal, streams: new Streams(), tabs: new Tabs(() => undefined) }).api,
  )
