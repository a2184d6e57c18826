import { Anchor } from '@mantine/core'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  type RouteComponent,
} from '@tanstack/react-router'
import { Door } from '../door/Door.tsx'
import { Returned } from '../door/Returned.tsx'
import { Welcome } from '../door/Welcome.tsx'
import { Shell } from './Shell.tsx'

const root = createRootRoute({
  notFoundComponent: () => (
    <Door title="Nothing is at this address">
      <Anchor href="/">Go to the world</Anchor>
    </Door>
  ),
})
const welcome = createRoute({ getParentRoute: () => root, path: '/welcome', component: Welcome })
const provider = createRoute({ getParentRoute: () => root, path: '/provider', component: Returned })
const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: Shell })

/** A page for who is signed in. Its code is loaded when it is opened. @param search reads what follows the `?` */
const page = <const Path extends string, Search extends object = Record<never, never>>(
  path: Path,
  component: RouteComponent,
  search?: (search: Record<string, unknown>) => Search,
) =>
  createRoute({
    getParentRoute: () => signedIn,
    path,
    component,
    validateSearch: search ?? ((): Search => ({}) as Search),
  })

const pages = [
  page('/', () => <Navigate to="/world" replace />),
  page(
    '/world',
    lazyRouteComponent(() => import('../world/World.tsx'), 'World'),
    ({ at }): { at?: string } => (typeof at === 'string' ? { at } : {}),
  ),
  page(
    '/beings/$name',
    lazyRouteComponent(() => import('../being/Being.tsx'), 'Being'),
    ({ n }): { n?: number } => (typeof n === 'number' ? { n } : {}),
  ),
  page(
    '/replay',
    lazyRouteComponent(() => import('../replay/Replay.tsx'), 'Replay'),
    ({ at, in: path }): { at?: number; in?: string } => ({
      ...(typeof at === 'number' ? { at } : {}),
      ...(typeof path === 'string' ? { in: path } : {}),
    }),
  ),
  page(
    '/roles',
    lazyRouteComponent(() => import('../roles/Roles.tsx'), 'Roles'),
    ({ role, edit }): { role?: string; edit?: true } => ({
      ...(typeof role === 'string' ? { role } : {}),
      ...(edit === true ? { edit: true as const } : {}),
    }),
  ),
  page(
    '/health',
    lazyRouteComponent(() => import('../health/Health.tsx'), 'Health'),
  ),
  page(
    '/inbox',
    lazyRouteComponent(() => import('../inbox/Inbox.tsx'), 'Inbox'),
  ),
  page(
    '/threads',
    lazyRouteComponent(() => import('../thread/Threads.tsx'), 'Threads'),
  ),
  page(
    '/threads/$id',
    lazyRouteComponent(() => import('../thread/Thread.tsx'), 'Thread'),
  ),
  page(
    '/beings/$name/flow',
    lazyRouteComponent(() => import('../flow/Flow.tsx'), 'Flow'),
  ),
  page(
    '/signals',
    lazyRouteComponent(() => import('../roles/Signals.tsx'), 'Signals'),
  ),
  page(
    '/inhabit/$name',
    lazyRouteComponent(() => import('../inhabit/Drive.tsx'), 'Drive'),
  ),
  page(
    '/do',
    lazyRouteComponent(() => import('../verbs/Do.tsx'), 'Do'),
  ),
  page(
    '/birth',
    lazyRouteComponent(() => import('../birth/Birther.tsx'), 'Birther'),
  ),
  page(
    '/overlays',
    lazyRouteComponent(() => import('../overlays/Overlays.tsx'), 'Overlays'),
  ),
  page(
    '/people',
    lazyRouteComponent(() => import('../people/People.tsx'), 'People'),
  ),
  page(
    '/account',
    lazyRouteComponent(() => import('../account/Account.tsx'), 'Account'),
  ),
] as const

export const createPages = () =>
  createRouter({
    routeTree: root.addChildren([welcome, provider, signedIn.addChildren([...pages])]),
    defaultPreload: 'intent',
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>
  }
}
