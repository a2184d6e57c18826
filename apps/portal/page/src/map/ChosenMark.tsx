import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Trans, t } from '../language/index.ts'
import { Inert, Quiet, WornRoles } from '../parts/index.ts'
import { type MapMark, markName } from './plan.ts'

interface ChosenMarkProps {
  readonly id: string
  readonly mark: MapMark | null
  /** what can be done there */
  readonly action: ReactNode
}

/** What is chosen, in words. */
export const ChosenMark = ({ id, mark, action }: ChosenMarkProps) => (
  <Group justify="space-between" gap="xs" px={4} pt={6}>
    <Group id={id} gap={6} mih={28} aria-live="polite">
      {mark === null ? (
        <Quiet size="xs">{t('Arrow keys go from mark to mark, Enter opens one.')}</Quiet>
      ) : (
        <>
          <Text size="sm" fw={600}>
            <Inert text={markName(mark)} />
          </Text>
          {mark.spot === null ? null : (
            <Quiet size="xs">{t('at {{x}}, {{y}}', { x: mark.spot.x, y: mark.spot.y })}</Quiet>
          )}
          <WornRoles roles={mark.roles} />
          {mark.words === null ? null : (
            <Quiet lineClamp={2}>
              <Trans text="“<words/>”" parts={{ words: <Inert text={mark.words} /> }} />
            </Quiet>
          )}
        </>
      )}
    </Group>
    {action}
  </Group>
)
