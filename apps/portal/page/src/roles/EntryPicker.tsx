import { Group, type OptionsFilter, Stack, TagsInput, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Trans, t } from '../language/index.ts'
import { Inert, SmallButton } from '../parts/index.ts'
import { Chip } from './Chip.tsx'
import { entryOfText, type ListEntry, textOfEntry } from './entries.ts'
import { entryLabel, entryOfLabel, meantBy } from './entry-label.ts'
import { addressesQuery } from './queries.ts'

const ENTRIES_MAX = 50
const SEARCH_MS = 150

interface PickerProps {
  readonly label: string
  readonly description: string
  readonly entries: readonly ListEntry[]
  /** what a catalog offers; anything else may be typed */
  readonly offered: readonly string[]
  /** addresses that are offered, too: those that hold what is typed */
  readonly addresses?: 'beings' | 'all'
  readonly error: string | undefined
  readonly onChange: (entries: ListEntry[]) => void
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
  const choices = [...new Set([...offered, ...(isSearched ? found : [])])]
  const starred = entries.filter((entry) => meantBy(entry) !== null)
  const mean = (entry: ListEntry) =>
    onChange(entries.map((one) => (one === entry ? (meantBy(one) ?? one) : one)))
  return (
    <Stack gap={4}>
      <TagsInput
        label={label}
        description={description}
        placeholder={entries.length === 0 ? t('nothing') : ''}
        data={choices}
        filter={holding}
        searchValue={typed}
        onSearchChange={type}
        onDropdownOpen={() => setOpen(true)}
        limit={ENTRIES_MAX}
        splitChars={['\n']}
        isDuplicate={(text, others) => others.includes(text)}
        value={[...new Set(entries.map(textOfEntry))]}
        onChange={(texts) => onChange(texts.map((one) => entryOfLabel(one, choices) ?? entryOfText(one)))}
        error={error === undefined ? undefined : <Inert text={error} />}
        renderPill={(pill) => <Chip {...pill} words={wordsOfText(pill.value ?? '')} />}
        renderOption={({ option }) => (
          <Text size="sm">
            <Inert text={wordsOfText(option.value)} />
            {wordsOfText(option.value) === option.value ? null : (
              <span className="quiet code"> {option.value}</span>
            )}
          </Text>
        )}
      />
      {starred.map((entry) => (
        <Group key={textOfEntry(entry)} gap="xs" role="alert">
          <Text size="sm">
            <Trans
              text="No name has a star, so “<text/>” would match nothing."
              parts={{ text: <Inert text={textOfEntry(entry)} /> }}
            />
          </Text>
          <SmallButton onClick={() => mean(entry)}>
            {t('Use {{entry}}', { entry: entryLabel(meantBy(entry) ?? entry) })}
          </SmallButton>
        </Group>
      ))}
    </Stack>
  )
}

const wordsOfText = (text: string): string => entryLabel(entryOfText(text))

/** Offers what holds the typed letters in its words, or as it is written. */
const holding: OptionsFilter = ({ options, search, limit }) =>
  options
    .filter((option) => {
      if (!('value' in option)) return false
      const text = search.trim().toLowerCase()
      return (
        option.value.toLowerCase().includes(text) || wordsOfText(option.value).toLowerCase().includes(text)
      )
    })
    .slice(0, limit)
