import type { FoundBy } from '../api/deed.ts'
import type { sessionQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import type { IconName } from '../parts/index.ts'

export type SessionFound = FoundBy<typeof sessionQuery>

type Uses = SessionFound['uses']

interface PageEntry {
  readonly to: string
  readonly label: string
  readonly icon: IconName
  /** who has use for it; everybody when left out */
  readonly isFor?: (uses: Uses, isPerson: boolean) => boolean
}

const isMaker = ({ all, births }: Uses): boolean => all || births

/** The pages that stand beside every page: in groups, in order. */
const PAGE_GROUPS = [
  {
    title: t('Work'),
    pages: [
      { to: '/', label: t('Start'), icon: 'start' },
      { to: '/inbox', label: t('Inbox'), icon: 'inbox' },
      { to: '/threads', label: t('Threads'), icon: 'threads' },
      { to: '/world', label: t('World'), icon: 'world' },
    ],
  },
  {
    title: t('Make'),
    pages: [
      { to: '/roles', label: t('Roles'), icon: 'role', isFor: ({ roles }) => roles },
      { to: '/birth', label: t('Birther'), icon: 'birth', isFor: ({ births }) => births },
      { to: '/signals', label: t('Signals'), icon: 'signal', isFor: ({ all, signals }) => all || signals },
      {
        to: '/overlays',
        label: t('Overlays'),
        icon: 'overlay',
        isFor: (uses, isPerson) => isPerson && isMaker(uses),
      },
      { to: '/do', label: t('Do'), icon: 'hand', isFor: ({ acts }) => acts },
    ],
  },
  {
    title: t('Watch'),
    pages: [
      { to: '/live', label: t('Live'), icon: 'live' },
      { to: '/health', label: t('Cost and health'), icon: 'health' },
      { to: '/replay', label: t('Replay'), icon: 'replay', isFor: isMaker },
    ],
  },
  {
    title: t('House'),
    pages: [
      {
        to: '/people',
        label: t('People'),
        icon: 'people',
        isFor: (uses, isPerson) => isPerson && isMaker(uses),
      },
    ],
  },
] as const satisfies readonly { readonly title: string; readonly pages: readonly PageEntry[] }[]

export type PagePath = (typeof PAGE_GROUPS)[number]['pages'][number]['to']
export interface ShownPage extends PageEntry {
  readonly to: PagePath
}

/** What a session has use for; groups without any are left out. */
export function pagesFor({ uses, driver }: Pick<SessionFound, 'uses' | 'driver'>) {
  const isPerson = driver === null
  return PAGE_GROUPS.map(({ title, pages }) => ({
    title,
    pages: (pages as readonly ShownPage[]).filter(
      ({ isFor }) => isFor === undefined || isFor(uses, isPerson),
    ),
  })).filter(({ pages }) => pages.length > 0)
}
