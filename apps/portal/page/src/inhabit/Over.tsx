import { Button, Group, Text } from '@mantine/core'
import { type DrivenBeing, forgetDriven } from '../api/tab.ts'
import { Door } from '../door/Door.tsx'
import { t } from '../language/index.ts'
import { Inert } from '../parts/index.ts'

/**
 * In place of every page of a tab whose lease ended: what is done next must not be done as somebody else
 * unnoticed.
 */
export const Over = ({ tab }: { readonly tab: DrivenBeing }) => (
  <Door title={t('{{being}} is its own again', { being: tab.being })}>
    <Text>
      <Inert text={`${(tab.over ?? '').replace(/^./, (first) => first.toUpperCase())}.`} />{' '}
      {t('Nothing more is done as {{being}} in this tab.', { being: tab.being })}
    </Text>
    <Group gap="sm">
      <Button onClick={() => window.close()}>{t('Close this tab')}</Button>
      <Button
        variant="default"
        onClick={() => {
          forgetDriven()
          location.assign(`/beings/${tab.being.slice(1)}`)
        }}
      >
        {t('Go on as yourself')}
      </Button>
    </Group>
  </Door>
)
