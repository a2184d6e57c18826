import { Anchor } from '@mantine/core'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { Answer } from '../door/Answer.tsx'
import { Door } from '../door/Door.tsx'
import { Returned } from '../door/Returned.tsx'
import { Welcome } from '../door/Welcome.tsx'
import { GROUPS, type Group } from '../inbox/groups.ts'
import { loadPage } from './load-page.ts'
import { Shell } from './Shell.tsx'

const root = createRootRoute({
  notFoundComponent: () => (
    <Door title="Nothing is at this address">
      <Anchor href="/">Go to the start</Anchor>
    </Door>
  ),
})
const welcome = createRoute({ getParentRoute: () => root, path: '/welcome', component: Welcome })
const answer = createRoute({ getParentRoute: () => root, path: '/answer', component: Answer })
const provider = createRoute({ getParentRoute: () => root, path: '/provider', component: Returned })
const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: Shell })

/** A page for who is signed in. Its code is loaded when it is opened. @param search reads what follows the `?` */
const page = <
  const Path extends string,
  const Name extends string,
  Search extends object = Record<never, never>,
>(
  path: Path,
  name: Name,
  load: () => Promise<Record<Name, RouteComponent>>,
  search?: (search: Record<string, unknown>) => Search,
) =>
  createRoute({
    getParentRoute: () => signedIn,
    path,
    component: lazyRouteComponent(() => loadPage(load, name), name),
    validateSearch: search ?? ((): Search => ({}) as Search),
  })

const pages = [
  page('/', 'Home', () => import('../home/Home.tsx')),
  page(
    '/world',
    'World',
    () => import('../world/World.tsx'),
    ({ at }): { at?: string } => (typeof at === 'string' ? { at } : {}),
  ),
  page(
    '/beings/$name',
    'Being',
    () => import('../being/Being.tsx'),
    ({ n }): { n?: number } => (typeof n === 'number' ? { n } : {}),
  ),
  page(
    '/replay',
    'Replay',
    () => import('../replay/Replay.tsx'),
    ({ at, in: path }): { at?: number; in?: string } => ({
      ...(typeof at === 'number' ? { at } : {}),
      ...(typeof path === 'string' ? { in: path } : {}),
    }),
  ),
  page(
    '/roles',
    'Roles',
    () => import('../roles/Roles.tsx'),
    ({ role, edit }): { role?: string; edit?: true } => ({
      ...(typeof role === 'string' ? { role } : {}),
      ...(edit === true ? { edit: true as const } : {}),
    }),
  ),
  page('/live', 'Live', () => import('../live/Live.tsx')),
  page('/health', 'Health', () => import('../health/Health.tsx')),
  page(
    '/inbox',
    'Inbox',
    () => import('../inbox/Inbox.tsx'),
    ({ entry, in: group }): { entry?: string; in?: Group } => ({
      ...(typeof entry === 'string' ? { entry } : {}),
      ...(GROUPS.some((one) => one === group) ? { in: group as Group } : {}),
    }),
  ),
  page('/threads', 'Threads', () => import('../thread/Threads.tsx')),
  page('/threads/$id', 'Thread', () => import('../thread/Thread.tsx')),
  page('/beings/$name/flow', 'Flow', () => import('../flow/Flow.tsx')),
  page('/signals', 'Signals', () => import('../roles/Signals.tsx')),
  page('/inhabit/$name', 'Drive', () => import('../inhabit/Drive.tsx')),
  page('/do', 'Do', () => import('../verbs/Do.tsx')),
  page(
    '/birth',
    'Birther',
    () => import('../birth/Birther.tsx'),
    ({ home }): { home?: string } => (typeof home === 'string' ? { home } : {}),
  ),
  page('/overlays', 'Overlays', () => import('../overlays/Overlays.tsx')),
  page('/people', 'People', () => import('../people/People.tsx')),
  page('/account', 'Account', () => import('../account/Account.tsx')),
] as const

export const createPages = () =>
  createRouter({
    routeTree: root.addChildren([welcome, answer, provider, signedIn.addChildren([...pages])]),
    defaultPreload: 'intent',
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>
  }
}
