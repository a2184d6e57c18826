import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { searchQuery } from '../api/search-query.ts'
import { t } from '../language/index.ts'
import { Inert } from '../parts/index.ts'

const TYPING_MS = 150

/** Whom one speaks to: a few letters of the name offer those that one may see. */
export function WhomInput({ value = '', ...props }: AutocompleteProps) {
  const [letters] = useDebouncedValue(value.trim().replace(/^@/, ''), TYPING_MS)
  const found = useQuery({ ...searchQuery(letters), enabled: letters !== '' })
  return (
    <Autocomplete
      label={t('Being')}
      placeholder={t('@echo, or a few letters of its name')}
      required
      data-autofocus
      data={[...(found.data?.beings ?? [])]}
      filter={({ options }) => options} // the server chose them
      renderOption={({ option }) => <Inert text={option.value} />}
      value={value}
      {...props}
    />
  )
}
