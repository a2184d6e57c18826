import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { worldQuery } from '../api/queries.ts'
import { NAVIGATION } from './navigation.ts'

const [store, spotlight] = createSpotlight()

export const openPalette = (): void => spotlight.open()

const STANCE = /^@?[a-z][a-z0-9-]*$/

/** Goes anywhere by a few letters: Ctrl K or Cmd K. */
export function Palette() {
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const { data: world } = useQuery(worldQuery)
  const action = (label: string, onClick: () => unknown) => ({
    id: label,
    label,
    onClick: () => void onClick(),
  })
  const params = { name: query.trim().replace(/^@/, '') }
  const actions = [
    ...NAVIGATION.map(({ to, label }) =>
      action(label === 'Do' ? 'Do something' : label, () => navigate({ to })),
    ),
    action('New role', () => navigate({ to: '/roles', search: { edit: true } })),
    action('How you sign in', () => navigate({ to: '/account' })),
    ...(world?.spaces ?? []).map(({ path }) =>
      action(path, () => navigate({ to: '/world', search: { at: path } })),
    ),
    ...(STANCE.test(query.trim())
      ? [
          action(`@${params.name}`, () => navigate({ to: '/beings/$name', params })),
          action(`@${params.name}: its flow`, () => navigate({ to: '/beings/$name/flow', params })),
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
