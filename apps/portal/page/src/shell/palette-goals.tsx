import type { useNavigate } from '@tanstack/react-router'
import type { SearchResult } from '@treeos/client'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'
import { Icon, type IconName } from '../parts/index.ts'
import { clockOf } from '../text/clock.ts'
import { seen } from '../text/unseen-text.ts'
import { endedBy } from '../words/end-words.ts'
import type { ShownPage } from './navigation.ts'

/** Something that the search leads to. */
export interface Goal {
  readonly id: string
  readonly label: string
  readonly description?: string
  readonly leftSection: ReactNode
  /** the search stays open when it is chosen */
  readonly closeSpotlightOnTrigger?: false
  readonly go: (navigate: ReturnType<typeof useNavigate>) => unknown
}

interface Goals {
  readonly group: string
  readonly actions: readonly Goal[]
}

const goal = (icon: IconName, { label, description, ...rest }: Omit<Goal, 'leftSection'>): Goal => ({
  ...rest,
  label: seen(label),
  ...(description === undefined || description === '' ? {} : { description: seen(description) }),
  leftSection: <Icon name={icon} />,
})

const without = (groups: readonly Goals[]): readonly Goals[] =>
  groups.filter(({ actions }) => actions.length > 0)

/** Pages whose names hold what was typed. */
export const pageGoals = (pages: readonly ShownPage[], query: string): readonly Goals[] => {
  const text = query.trim().toLowerCase()
  const own = [
    ...pages.map(({ to, label, icon }) =>
      goal(icon, {
        id: to,
        label: to === '/do' ? t('Do something') : label,
        go: (navigate) => navigate({ to }),
      }),
    ),
    ...(pages.some(({ to }) => to === '/roles')
      ? [
          goal('role', {
            id: 'new role',
            label: t('New role'),
            go: (navigate) => navigate({ to: '/roles', search: { edit: true } }),
          }),
        ]
      : []),
    goal('key', {
      id: 'account',
      label: t('Settings: how you sign in'),
      go: (navigate) => navigate({ to: '/account' }),
    }),
  ]
  return without([
    { group: t('Pages'), actions: own.filter(({ label }) => label.toLowerCase().includes(text)) },
  ])
}

/** What the server found, by kind. Text of others is shown as text, and hides nothing. */
export function foundIn(found: SearchResult | undefined): readonly Goals[] {
  if (found === undefined) return []
  const { beings, spaces, roles, said, moments } = found
  return without([
    {
      group: t('Beings'),
      actions: beings.flatMap((stance) => {
        const params = { name: stance.slice(1) }
        return goal('me', { id: stance, label: stance, go: (to) => to({ to: '/beings/$name', params }) })
      }),
    },
    {
      group: t('Spaces'),
      actions: spaces.map((path) =>
        goal('space', { id: path, label: path, go: (to) => to({ to: '/world', search: { at: path } }) }),
      ),
    },
    {
      group: t('Roles'),
      actions: roles.map(({ name, description }) =>
        goal('role', {
          id: `role ${name}`,
          label: name,
          description,
          go: (to) => to({ to: '/roles', search: { role: name } }),
        }),
      ),
    },
    { group: t('What was said'), actions: said.map(saidGoal) },
    { group: t('Moments'), actions: moments.map(livedGoal) },
  ])
}

/** That the search failed, which is not that nothing is there; it is asked again when this is chosen. */
export const failedGoals = (error: Error | null, again: () => unknown): readonly Goals[] =>
  error === null
    ? []
    : [
        {
          group: t('The search failed'),
          actions: [
            goal('search', {
              id: 'failed search',
              label: error.message,
              description: t('Search again'),
              closeSpotlightOnTrigger: false,
              go: () => again(),
            }),
          ],
        },
      ]

const when = (iso: string): string => clockOf(new Date(iso))

const saidGoal = (one: SearchResult['said'][number], i: number): Goal => {
  const { thread, from, to, at, words, isMine, n, channel, outside } = one
  const who = [
    t('{{from}} to {{to}}', { from: from ?? t('nobody'), to }),
    ...(channel === null ? [] : [t('in {{channel}}', { channel })]),
    when(at),
    ...(outside === true ? [t('from outside')] : []),
  ].join(', ')
  const label = words.replaceAll(/\s+/g, ' ')
  return goal('words', {
    id: `said ${i} ${thread}`,
    label,
    description: who,
    go: (navigate) =>
      isMine || n === null
        ? navigate({ to: '/threads/$id', params: { id: thread } })
        : navigate({ to: '/beings/$name', params: { name: to.slice(1) }, search: { n } }),
  })
}

const livedGoal = ({ being, n, at, outcome, reason, words }: SearchResult['moments'][number]): Goal =>
  goal('moment', {
    id: `moment ${being} ${n}`,
    label: words.replaceAll(/\s+/g, ' '),
    description: t('moment {{n}} of {{being}}: {{outcome}}, {{when}}', {
      n,
      being,
      outcome: endedBy(outcome, reason),
      when: when(at),
    }),
    go: (navigate) => navigate({ to: '/beings/$name', params: { name: being.slice(1) }, search: { n } }),
  })
