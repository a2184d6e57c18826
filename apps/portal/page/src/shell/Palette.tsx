import { createSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { worldQuery } from '../api/queries.ts'

const [store, spotlight] = createSpotlight()

export const openPalette = (): void => spotlight.open()

const STANCE = /^@?[a-z][a-z0-9-]*$/

/** Goes anywhere by a few letters: Ctrl K or Cmd K. */
export function Palette() {
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const { data: world } = useQuery(worldQuery)
  const go = (id: string, label: string, onClick: () => void): SpotlightActionData => ({ id, label, onClick })
  const name = query.trim().replace(/^@/, '')
  const actions = [
    go('world', 'World', () => void navigate({ to: '/world' })),
    go('inbox', 'Inbox', () => void navigate({ to: '/inbox' })),
    go('threads', 'Threads', () => void navigate({ to: '/threads' })),
    go('roles', 'Roles', () => void navigate({ to: '/roles' })),
    go('new-role', 'New role', () => void navigate({ to: '/roles', search: { edit: true } })),
    go('signals', 'Signals', () => void navigate({ to: '/signals' })),
    go('do', 'Do something', () => void navigate({ to: '/do' })),
    go('birth', 'Birther', () => void navigate({ to: '/birth' })),
    go('overlays', 'Overlays', () => void navigate({ to: '/overlays' })),
    go('replay', 'Replay', () => void navigate({ to: '/replay' })),
    go('people', 'People', () => void navigate({ to: '/people' })),
    go('account', 'How you sign in', () => void navigate({ to: '/account' })),
    go('health', 'Health', () => void navigate({ to: '/health' })),
    ...(world?.spaces ?? []).map(({ path }) =>
      go(path, path, () => void navigate({ to: '/world', search: { at: path } })),
    ),
    ...(STANCE.test(query.trim())
      ? [
          go(`@${name}`, `@${name}`, () => void navigate({ to: '/beings/$name', params: { name } })),
          go(
            `@${name} flow`,
            `@${name}: its flow`,
            () => void navigate({ to: '/beings/$name/flow', params: { name } }),
          ),
        ]
      : []),
  ]
  return (
    <Spotlight
      store={store}
      actions={actions}
      query={query}
      onQueryChange={setQuery}
      shortcut={['mod + K']}
      limit={20}
      attributes={{ content: { 'aria-label': 'Go anywhere' } }}
      nothingFound="Nothing has this name"
      searchProps={{ placeholder: 'A page, a path, or @name', 'aria-label': 'Search' }}
    />
  )
}
