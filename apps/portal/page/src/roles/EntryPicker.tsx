import { TagsInput, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Inert } from '../parts/index.ts'
import { Chip } from './Chip.tsx'
import { type Entry, entryOfText, textOfEntry } from './entries.ts'
import { addressesQuery } from './queries.ts'

const SHOWN_MAX = 50
const SEARCH_MS = 150

interface PickerProps {
  readonly label: string
  readonly description: string
  readonly entries: readonly Entry[]
  /** what a catalog offers; anything else may be typed */
  readonly offered: readonly string[]
  /** addresses that are offered, too: those that hold what is typed */
  readonly addresses?: 'beings' | 'all'
  readonly error: string | undefined
  readonly onChange: (entries: Entry[]) => void
}

/** Chips of a list, chosen from a catalog or typed. */
export function EntryPicker(props: PickerProps) {
  const { label, description, entries, offered, addresses, error, onChange } = props
  const [typed, type] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [text] = useDebouncedValue(typed.trim(), SEARCH_MS)
  const isSearched = addresses !== undefined && isOpen
  const { data: found = [] } = useQuery({
    ...addressesQuery(addresses ?? 'all', text),
    enabled: isSearched,
  })
  return (
    <TagsInput
      label={label}
      description={description}
      placeholder={entries.length === 0 ? 'nothing' : ''}
      data={[...new Set([...offered, ...(isSearched ? found : [])])]}
      searchValue={typed}
      onSearchChange={type}
      onDropdownOpen={() => setOpen(true)}
      limit={SHOWN_MAX}
      splitChars={['\n']}
      isDuplicate={(text, others) => others.includes(text)}
      value={[...new Set(entries.map(textOfEntry))]}
      onChange={(texts) => onChange(texts.map(entryOfText))}
      error={error === undefined ? undefined : <Inert text={error} />}
      renderPill={(pill) => <Chip {...pill} />}
      renderOption={({ option }) => (
        <Text size="sm">
          <Inert text={option.value} />
        </Text>
      )}
    />
  )
}
