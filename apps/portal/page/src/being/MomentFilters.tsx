import { Group, NativeSelect, TextInput } from '@mantine/core'
import { t } from '../language/index.ts'
import { choicesIn, type MomentFilter } from './moment-filter.ts'

interface MomentFiltersProps {
  readonly moments: Parameters<typeof choicesIn>[0]
  readonly filter: MomentFilter
  readonly onFilter: (filter: MomentFilter) => void
}

const COSTS = [
  { value: '', label: t('any cost') },
  { value: '1', label: t('asked a model') },
  { value: '1000', label: t('1,000 tokens and more') },
  { value: '10000', label: t('10,000 tokens and more') },
]

/** Which moments are shown: by how they ended, in which role, what they cost, and words. */
export function MomentFilters({ moments, filter, onFilter }: MomentFiltersProps) {
  const { outcomes, roles } = choicesIn(moments)
  const choices = [
    { key: 'outcome', label: t('Outcome'), data: [{ value: '', label: t('any outcome') }, ...outcomes] },
    { key: 'role', label: t('Role'), data: [{ value: '', label: t('any role') }, ...roles] },
    { key: 'cost', label: t('Cost'), data: COSTS },
  ] as const
  return (
    <search aria-label={t('Filter moments')}>
      <Group gap="xs" grow preventGrowOverflow={false}>
        <TextInput
          size="xs"
          aria-label={t('Words of moments')}
          placeholder={t('Words, operation, address')}
          value={filter.words}
          onChange={(event) => onFilter({ ...filter, words: event.currentTarget.value })}
        />
        {choices.map(({ key, label, data }) => (
          <NativeSelect
            key={key}
            size="xs"
            aria-label={t('{{label}} of moments', { label })}
            data={[...data]}
            value={filter[key]}
            onChange={(event) => onFilter({ ...filter, [key]: event.currentTarget.value })}
          />
        ))}
      </Group>
    </search>
  )
}
