import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { sessionQuery } from '../api/queries.ts'
import { searchQuery } from '../api/search-query.ts'
import { t } from '../language/index.ts'
import { pagesFor } from './navigation.ts'
import { failedGoals, foundIn, type Goal, pageGoals } from './palette-goals.tsx'

const [store, spotlight] = createSpotlight()

export const openPalette = (): void => spotlight.open()

/** While somebody types, only what stands for this long is asked for. */
const TYPING_MS = 150

/** Searches all that one may read, and goes there: Ctrl K or Cmd K. */
export function Palette() {
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const [text] = useDebouncedValue(query.trim(), TYPING_MS)
  const { data: session } = useQuery(sessionQuery)
  const found = useQuery({ ...searchQuery(text), enabled: text !== '' })
  const pages = session === undefined ? [] : pagesFor(session).flatMap((group) => group.pages)
  const goals = [
    ...pageGoals(pages, query),
    ...(query.trim() === '' ? [] : [...foundIn(found.data), ...failedGoals(found.error, found.refetch)]),
  ]
  const shown: SpotlightActionGroupData[] = goals.map(({ group, actions }) => ({
    group,
    actions: actions.map(({ go, ...action }: Goal) => ({ ...action, onClick: () => void go(navigate) })),
  }))
  // What comes while one types is chosen, too: Enter goes to the first.
  useEffect(() => chooseFirst(), [found.data, query])
  const isAsking = query.trim() !== '' && (text !== query.trim() || found.isFetching)
  return (
    <Spotlight
      store={store}
      actions={shown}
      filter={(_query, actions) => actions}
      query={query}
      onQueryChange={setQuery}
      shortcut={['mod + K']}
      tagsToIgnore={[]} // also while one writes
      transitionProps={{ duration: 0 }} // what is typed while it fades would be lost
      scrollable
      maxHeight={520}
      attributes={{ content: { 'aria-label': t('Search') } }}
      nothingFound={
        isAsking ? t('Looking…') : t('Nothing that you may read holds this, in the newest 10,000 moments')
      }
      searchProps={{
        placeholder: t('A being, a role, a page, or any words'),
        'aria-label': t('Search'),
      }}
    />
  )
}

/** Spotlight chooses the first of what is there when a letter is typed, and not of what comes later. */
function chooseFirst(): void {
  const list = document.getElementById(store.getState().listId)
  if (list === null || list.querySelector('[data-selected]') !== null) return
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
  store.updateState((state) => ({ ...state, selected: 0 }))
}
