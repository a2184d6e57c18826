import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { OverlayView } from '@treeos/client'
import { useState } from 'react'
import { t } from '../language/index.ts'
import { Answer, Dialog, Empty, PageHead } from '../parts/index.ts'
import { OverlayForm } from './OverlayForm.tsx'
import { overlaysQuery } from './queries.ts'
import { StoredOverlay } from './StoredOverlay.tsx'

/** The stored overlays that the person may read: text for later calls of models, never part of the record. */
export function Overlays() {
  const overlays = useQuery(overlaysQuery)
  const [editing, edit] = useState<Partial<OverlayView> | null>(null)
  return (
    <Stack>
      <PageHead
        title={t('Overlays')}
        action={<Button onClick={() => edit({})}>{t('Set an overlay')}</Button>}
      >
        {t('How models are to approach their calls. An overlay grants nothing, and is never recorded.')}
      </PageHead>
      <Dialog
        opened={editing !== null}
        onClose={() => edit(null)}
        title={editing?.name === undefined ? t('Set an overlay') : t('Change the overlay')}
      >
        {editing === null ? null : <OverlayForm of={editing} onSet={() => edit(null)} />}
      </Dialog>
      <Answer of={overlays}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={t('No overlay is stored')}>
              {t(
                'Set one of your account, of a channel that you began, or, as the operator, of the workspace. One of a single call or of a thread is given where you speak.',
              )}
            </Empty>
          ) : (
            <Stack gap="sm">
              {all.map((one) => (
                <StoredOverlay
                  key={`${one.tier} ${one.scope ?? ''} ${one.name}`}
                  one={one}
                  onEdit={() => edit(one)}
                />
              ))}
            </Stack>
          )
        }
      </Answer>
    </Stack>
  )
}
