import { Collapse, Group as InlineGroup, SegmentedControl, Select, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { t } from '../language/index.ts'
import { SmallButton } from '../parts/index.ts'
import { FACETS, type Facet } from './facets.ts'
import { GROUP_TITLES } from './groups.ts'
import { GROUPS, type InboxGroup } from './kinds.ts'
import { NotifyMenu } from './NotifyMenu.tsx'
import type { ToolsProps } from './tools-props.ts'
import { Views } from './Views.tsx'

/** Which part of the inbox is shown, what of it, and in which order. */
export function InboxTools(props: ToolsProps) {
  const { group, counts, onShow, filter } = props
  const filtered = Object.keys(filter.facets).length
  const [isOpen, { toggle }] = useDisclosure(filtered > 0)
  return (
    <Stack gap="xs">
      <InlineGroup gap="sm">
        <SegmentedControl
          aria-label={t('Part of the inbox')}
          value={group}
          onChange={(next) =>
            onShow({ in: next as InboxGroup, ...(filter.search === '' ? {} : { q: filter.search }) })
          }
          data={GROUPS.map((value) => ({ value, label: `${GROUP_TITLES[value]} ${counts[value]}` }))}
        />
        <TextInput
          aria-label={t('Search the inbox')}
          placeholder={t('Search')}
          value={filter.search}
          onChange={(event) => filter.setSearch(event.currentTarget.value)}
          flex="1 1 10rem"
          maw={280}
        />
        <SmallButton aria-expanded={isOpen} onClick={toggle}>
          {filtered === 0 ? t('Filter') : t('Filter {{filtered}}', { filtered })}
        </SmallButton>
        <Views {...props} />
        <NotifyMenu />
      </InlineGroup>
      <Collapse expanded={isOpen}>{isOpen ? <Filters {...props} /> : null}</Collapse>
    </Stack>
  )
}

const ORDERS = [
  { value: 'newest', label: t('Newest first') },
  { value: 'oldest', label: t('Longest waiting first') },
]

const Filters = ({ filter: { facets, setFacets, isOldestFirst, setOrder }, choices }: ToolsProps) => (
  <InlineGroup gap="sm">
    {(Object.keys(FACETS) as Facet[]).map((facet) => (
      <Select
        key={facet}
        label={FACETS[facet].label}
        placeholder={t('Any')}
        clearable
        searchable
        size="xs"
        w={150}
        data={[...new Set([...choices[facet], ...(facets[facet] === undefined ? [] : [facets[facet]])])].map(
          (value) => ({ value, label: FACETS[facet].words?.[value] ?? value }),
        )}
        value={facets[facet] ?? null}
        onChange={(value) => {
          const { [facet]: _, ...others } = facets
          setFacets(value === null ? others : { ...others, [facet]: value })
        }}
      />
    ))}
    <Select
      label={t('Order')}
      allowDeselect={false}
      size="xs"
      w={180}
      data={ORDERS}
      value={isOldestFirst ? 'oldest' : 'newest'}
      onChange={(value) => setOrder(value === 'oldest' ? 'oldest' : 'newest')}
    />
  </InlineGroup>
)
