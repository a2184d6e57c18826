import { Anchor } from '@mantine/core'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
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
const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: () => <Navigate to="/world" replace />,
})
const world = createRoute({
  getParentRoute: () => signedIn,
  path: '/world',
  validateSearch: (search): { at?: string } => (typeof search.at === 'string' ? { at: search.at } : {}),
  component: lazyRouteComponent(() => import('../world/World.tsx'), 'World'),
})
const being = createRoute({
  getParentRoute: () => signedIn,
  path: '/beings/$name',
  validateSearch: (search): { n?: number } => (typeof search.n === 'number' ? { n: search.n } : {}),
  component: lazyRouteComponent(() => import('../being/Being.tsx'), 'Being'),
})
const replay = createRoute({
  getParentRoute: () => signedIn,
  path: '/replay',
  validateSearch: (search): { at?: number; in?: string } => ({
    ...(typeof search.at === 'number' ? { at: search.at } : {}),
    ...(typeof search.in === 'string' ? { in: search.in } : {}),
  }),
  component: lazyRouteComponent(() => import('../replay/Replay.tsx'), 'Replay'),
})
const health = createRoute({
  getParentRoute: () => signedIn,
  path: '/health',
  component: lazyRouteComponent(() => import('../health/Health.tsx'), 'Health'),
})
const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/inbox',
  component: lazyRouteComponent(() => import('../inbox/Inbox.tsx'), 'Inbox'),
})
const threads = createRoute({
  getParentRoute: () => signedIn,
  path: '/threads',
  component: lazyRouteComponent(() => import('../thread/Threads.tsx'), 'Threads'),
})
const thread = createRoute({
  getParentRoute: () => signedIn,
  path: '/threads/$id',
  component: lazyRouteComponent(() => import('../thread/Thread.tsx'), 'Thread'),
})
const flow = createRoute({
  getParentRoute: () => signedIn,
  path: '/beings/$name/flow',
  component: lazyRouteComponent(() => import('../flow/Flow.tsx'), 'Flow'),
})
const roles = createRoute({
  getParentRoute: () => signedIn,
  path: '/roles',
  validateSearch: (search): { role?: string; edit?: true } => ({
    ...(typeof search.role === 'string' ? { role: search.role } : {}),
    ...(search.edit === true ? { edit: true as const } : {}),
  }),
  component: lazyRouteComponent(() => import('../roles/Roles.tsx'), 'Roles'),
})
const signals = createRoute({
  getParentRoute: () => signedIn,
  path: '/signals',
  component: lazyRouteComponent(() => import('../roles/Signals.tsx'), 'Signals'),
})
const inhabit = createRoute({
  getParentRoute: () => signedIn,
  path: '/inhabit/$name',
  component: lazyRouteComponent(() => import('../inhabit/Drive.tsx'), 'Drive'),
})
const act = createRoute({
  getParentRoute: () => signedIn,
  path: '/do',
  component: lazyRouteComponent(() => import('../verbs/Do.tsx'), 'Do'),
})
const birth = createRoute({
  getParentRoute: () => signedIn,
  path: '/birth',
  component: lazyRouteComponent(() => import('../birth/Birther.tsx'), 'Birther'),
})
const overlays = createRoute({
  getParentRoute: () => signedIn,
  path: '/overlays',
  component: lazyRouteComponent(() => import('../overlays/Overlays.tsx'), 'Overlays'),
})
const people = createRoute({
  getParentRoute: () => signedIn,
  path: '/people',
  component: lazyRouteComponent(() => import('../people/People.tsx'), 'People'),
})
const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('../account/Account.tsx'), 'Account'),
})

export const createPages = () =>
  createRouter({
    routeTree: root.addChildren([
      welcome,
      provider,
      signedIn.addChildren([
        ...[home, world, being, inbox, threads, thread, flow, roles, signals],
        ...[inhabit, act, birth, overlays, replay, people, account, health],
      ]),
    ]),
    defaultPreload: 'intent',
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>
  }
}
