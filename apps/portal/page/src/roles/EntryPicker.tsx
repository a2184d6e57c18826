import { TagsInput, Text } from '@mantine/core'
import { Inert } from '../text/Inert.tsx'
import { Chip } from './Chip.tsx'
import { type Entry, entryOfText, textOfEntry } from './entries.ts'

const SHOWN_MAX = 50

interface PickerProps {
  readonly label: string
  readonly description: string
  readonly entries: readonly Entry[]
  /** what a catalog offers; anything else may be typed */
  readonly offered: readonly string[]
  readonly error: string | undefined
  readonly onChange: (entries: Entry[]) => void
}

/** Chips of a list, chosen from a catalog or typed. */
export function EntryPicker({ label, description, entries, offered, error, onChange }: PickerProps) {
  return (
    <TagsInput
      label={label}
      description={description}
      placeholder={entries.length === 0 ? 'nothing' : ''}
      data={[...new Set(offered)]}
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
