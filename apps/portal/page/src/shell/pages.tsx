import { Anchor } from '@mantine/core'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { AnswerPage } from '../door/AnswerPage.tsx'
import { Door } from '../door/Door.tsx'
import { ProviderReturn } from '../door/ProviderReturn.tsx'
import { Welcome } from '../door/Welcome.tsx'
import { placeIn } from '../inbox/place.ts'
import { t } from '../language/index.ts'
import { THREAD_LISTS, type ThreadList } from '../thread/thread-lists.ts'
import { CODE } from './code.ts'
import { loadPage } from './load-page.ts'
import { PageFault } from './PageFault.tsx'
import { Shell } from './Shell.tsx'

const rootRoute = createRootRoute({
  notFoundComponent: () => (
    <Door title={t('Nothing is at this address')}>
      <Anchor href="/">{t('Go to the start')}</Anchor>
    </Door>
  ),
})
const welcome = createRoute({ getParentRoute: () => rootRoute, path: '/welcome', component: Welcome })
const answer = createRoute({ getParentRoute: () => rootRoute, path: '/answer', component: AnswerPage })
const provider = createRoute({
  getParentRoute: () => rootRoute,
  path: '/provider',
  component: ProviderReturn,
})
const signedIn = createRoute({ getParentRoute: () => rootRoute, id: 'signed-in', component: Shell })

/**
 * A page for who is signed in. Its code is loaded when it is opened.
 * @param search reads what follows the `?`
 */
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
  page('/', 'Home', CODE['/']),
  page('/world', 'World', CODE['/world'], ({ at }): { at?: string } =>
    typeof at === 'string' ? { at } : {},
  ),
  page('/beings/$name', 'Being', CODE['/beings/$name'], ({ n }): { n?: number } =>
    typeof n === 'number' ? { n } : {},
  ),
  page('/replay', 'Replay', CODE['/replay'], ({ at, in: path }): { at?: number; in?: string } => ({
    ...(typeof at === 'number' ? { at } : {}),
    ...(typeof path === 'string' ? { in: path } : {}),
  })),
  page('/roles', 'Roles', CODE['/roles'], ({ role, edit }): { role?: string; edit?: true } => ({
    ...(typeof role === 'string' ? { role } : {}),
    ...(edit === true ? { edit: true as const } : {}),
  })),
  page('/live', 'Live', CODE['/live']),
  page('/health', 'Health', CODE['/health']),
  page('/inbox', 'Inbox', CODE['/inbox'], placeIn),
  page('/threads', 'Threads', CODE['/threads'], ({ show }): { show?: ThreadList } =>
    THREAD_LISTS.some((one) => one === show) ? { show: show as ThreadList } : {},
  ),
  page('/threads/$id', 'Thread', CODE['/threads/$id'], ({ of, n }): { of?: string; n?: number } =>
    typeof of === 'string' && typeof n === 'number' ? { of, n } : {},
  ),
  page('/beings/$name/flow', 'Flow', CODE['/beings/$name/flow']),
  page('/signals', 'Signals', CODE['/signals']),
  page('/inhabit/$name', 'Drive', CODE['/inhabit/$name']),
  page('/do', 'Do', CODE['/do']),
  page('/birth', 'Birther', CODE['/birth'], ({ home }): { home?: string } =>
    typeof home === 'string' ? { home } : {},
  ),
  page('/overlays', 'Overlays', CODE['/overlays']),
  page('/people', 'People', CODE['/people']),
  page('/account', 'Account', CODE['/account']),
  page('/terminal', 'Terminal', CODE['/terminal']),
] as const

export const createPages = () =>
  createRouter({
    routeTree: rootRoute.addChildren([welcome, answer, provider, signedIn.addChildren([...pages])]),
    defaultPreload: 'intent',
    defaultErrorComponent: PageFault,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>
  }
}
