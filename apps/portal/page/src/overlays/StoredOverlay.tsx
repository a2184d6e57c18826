import { Badge, Group, Stack, Text } from '@mantine/core'
import type { OverlayView } from '@treeos/client'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { Trans, t } from '../language/index.ts'
import { Inert, Quiet, SmallButton, Time, Trouble } from '../parts/index.ts'

/** The channel of an overlay, where it has one. */
export const channelOf = ({ tier, scope }: Partial<OverlayView>) =>
  tier === 'channel' && scope !== undefined ? { channel: scope } : {}

/** One stored overlay, with buttons to change and to delete it. */
export function StoredOverlay({ one, onEdit }: { readonly one: OverlayView; readonly onEdit: () => void }) {
  const { tier, name, scope, content, appliesTo, setBy, setAt, inForce } = one
  const deleting = useDeed(() => api.overlays.delete.$post({ json: { tier, name, ...channelOf(one) } }), {
    stale: ['overlays'],
  })
  return (
    <section className="card" aria-label={t('Overlay {{name}}', { name })}>
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start">
          <Group gap={6}>
            <Text fw={600}>
              <Inert text={name} />
            </Text>
            <Badge>{tier}</Badge>
            {scope === undefined ? null : (
              <Quiet>
                <Inert text={scope} />
              </Quiet>
            )}
            <Badge variant="outline" color={inForce ? 'leaf' : 'gray'}>
              {inForce ? t('in force') : t('another one is in force')}
            </Badge>
          </Group>
          <Group gap="xs">
            <SmallButton onClick={onEdit}>{t('Change')}</SmallButton>
            <SmallButton loading={deleting.isPending} onClick={() => deleting.mutate()}>
              {t('Delete')}
            </SmallButton>
          </Group>
        </Group>
        <div className="block">
          <Inert text={content} />
        </div>
        <Quiet size="xs">
          <Trans
            text="set by {{setBy}}, <time/> · for {{appliesTo}}"
            values={{ setBy, appliesTo: appliesTo?.join(', ') ?? t('the entry Signature') }}
            parts={{ time: <Time iso={setAt} /> }}
          />
        </Quiet>
        <Trouble error={deleting.error} />
      </Stack>
    </section>
  )
}
