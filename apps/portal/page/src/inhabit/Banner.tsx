import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { DrivenBeing } from '../api/tab.ts'
import { Trans, t } from '../language/index.ts'
import { CLOCK_SECONDS } from '../text/clock.ts'
import { giveBack } from './lease.ts'

export const BANNER_PX = 44

/**
 * Stands on every page of a tab that drives a being.
 * @param until when the lease runs out; null while it is not known
 */
export function Banner({ tab, until }: { readonly tab: DrivenBeing; readonly until: number | null }) {
  const giving = useMutation({
    mutationFn: () => giveBack(t('you gave {{being}} back', { being: tab.being })),
  })
  return (
    <section className="driving" aria-label={t('Inhabiting')}>
      <Group justify="space-between" wrap="nowrap" gap="sm" h="100%" px="md">
        <Text size="sm" truncate miw={0}>
          <Trans
            text="<driver/> drives <being/>"
            parts={{ driver: <b>{tab.driver}</b>, being: <b>{tab.being}</b> }}
          />
          <Text span inherit visibleFrom="xs">
            {' '}
            {t('in this tab')}
          </Text>
          {until === null ? null : (
            <span className="quiet">
              {' '}
              {`· ${t('until {{time}}', { time: CLOCK_SECONDS.format(until) })}`}
              <Text span inherit visibleFrom="md">
                {t(', and longer while this tab is open')}
              </Text>
            </span>
          )}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          flex="none"
          loading={giving.isPending}
          onClick={() => giving.mutate()}
        >
          {t('Give back')}
        </Button>
      </Group>
    </section>
  )
}
