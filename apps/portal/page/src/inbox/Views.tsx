import { Menu, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useLocalStorage } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { t } from '../language/index.ts'
import { SmallButton } from '../parts/index.ts'
import { FAILED, FROM_OUTSIDE, type WantedFacets } from './facets.ts'
import type { InboxGroup } from './kinds.ts'
import type { InboxOrder } from './place.ts'
import type { ToolsProps } from './tools-props.ts'

interface SavedView {
  readonly name: string
  readonly group: InboxGroup
  readonly facets: WantedFacets
  readonly search: string
  /** undefined in views that were saved before, too */
  readonly order?: InboxOrder | undefined
}

const BUILT_IN: readonly SavedView[] = [
  { name: t('Mine'), group: 'needs', facets: {}, search: '' },
  { name: t('Failed'), group: 'notices', facets: { what: FAILED }, search: '' },
  { name: t('From outside'), group: 'needs', facets: { origin: FROM_OUTSIDE }, search: '' },
]
const SAVED_MAX = 20

/** Filters with a name. This browser keeps those that one saved. */
export function Views({ group, onShow, filter: { search, facets, order } }: ToolsProps) {
  const [saved, save] = useLocalStorage<readonly SavedView[]>({ key: 'treeos-inbox-views', defaultValue: [] })
  const form = useForm({ initialValues: { name: '' }, validate: { name: isNotEmpty() } })
  const show = (view: SavedView) =>
    onShow({
      ...view.facets,
      in: view.group,
      order: view.order,
      q: view.search === '' ? undefined : view.search,
    })
  const keep = form.onSubmit(({ name }) => {
    const others = saved.filter((view) => view.name !== name)
    save([...others, { name, group, facets, search, order }].slice(-SAVED_MAX))
    form.reset()
  })
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <SmallButton>{t('Views')}</SmallButton>
      </Menu.Target>
      <Menu.Dropdown>
        {[...BUILT_IN, ...saved].map((view) => (
          <Menu.Item key={view.name} onClick={() => show(view)}>
            {view.name}
          </Menu.Item>
        ))}
        <Menu.Item renderRoot={(props) => <Link to="/threads" search={{ show: 'others' }} {...props} />}>
          {t('Waiting for others')}
        </Menu.Item>
        <Menu.Divider />
        <form onSubmit={keep}>
          <TextInput
            size="xs"
            m={4}
            aria-label={t('Name of a view')}
            placeholder={t('Save what is shown as …')}
            maxLength={40}
            {...form.getInputProps('name')}
          />
        </form>
      </Menu.Dropdown>
    </Menu>
  )
}
