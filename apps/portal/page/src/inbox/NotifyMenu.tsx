import { Checkbox, Popover, Stack } from '@mantine/core'
import type { InboxKind } from '@treeos/client'
import { useState } from 'react'
import { t } from '../language/index.ts'
import { Quiet, SmallButton } from '../parts/index.ts'
import { hasNotifications, useNotifiedKinds } from './notified-kinds.ts'
import { KIND_LABELS } from './sender.ts'

/** Of which kinds of entries the browser tells while the page is out of sight. It is asked at the first choice. */
export function NotifyMenu() {
  const [kinds, save] = useNotifiedKinds()
  const [permission, setPermission] = useState(hasNotifications ? Notification.permission : 'denied')
  if (!hasNotifications) return null
  const choose = async (next: string[]) => {
    save(next as InboxKind[])
    if (permission === 'default') setPermission(await Notification.requestPermission())
  }
  return (
    <Popover width={260} position="bottom-end" withArrow trapFocus>
      <Popover.Target>
        <SmallButton>{t('Notify me')}</SmallButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Checkbox.Group
          label={t('This browser tells me of each new')}
          value={[...kinds]}
          onChange={(next) => void choose(next)}
        >
          <Stack gap="xs" mt="xs">
            {Object.entries(KIND_LABELS).map(([kind, label]) => (
              <Checkbox key={kind} size="xs" value={kind} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
        {permission === 'denied' ? (
          <Quiet role="status">{t('Your browser forbids this page to notify you.')}</Quiet>
        ) : null}
      </Popover.Dropdown>
    </Popover>
  )
}
