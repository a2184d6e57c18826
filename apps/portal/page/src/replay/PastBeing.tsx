import { Badge, Group, Text } from '@mantine/core'
import { memo } from 'react'
import { Trans, t } from '../language/index.ts'
import { BeingLink, Inert, MomentLink, Quiet, WornRoles } from '../parts/index.ts'
import type { Track, TrackPoint } from './track.ts'

interface PastBeingProps {
  readonly trace: TrackPoint
  readonly track: Track
  readonly isMoving: boolean
}

/**
 * One being as it was: its last moment, what it wore, where it was, and what it said. A step changes few of
 * them.
 */
export const PastBeing = memo(function PastBeing({ trace, track, isMoving }: PastBeingProps) {
  const { key, n, stack: digest, place, words, isEnded } = trace
  const name = key.slice('being:'.length)
  const stack = track.stack(digest)
  return (
    <div
      className="row"
      data-chosen={isMoving}
      data-being={name}
      data-n={n}
      data-stack={digest ?? ''}
      data-worn={JSON.stringify(stack)}
    >
      <Group justify="space-between" wrap="nowrap" gap="xs" align="flex-start">
        <Text size="sm" fw={600}>
          <BeingLink stance={`@${name}`} />{' '}
          {n === 0 ? null : (
            <MomentLink being={name} n={n} className="number">
              {n}
            </MomentLink>
          )}
        </Text>
        <Group gap={6} justify="flex-end">
          {isEnded ? (
            <Badge color="gray" tt="uppercase">
              {t('ended')}
            </Badge>
          ) : null}
          {stack === null ? (
            <Quiet size="xs">{n === 0 ? t('no moment yet') : t('no role')}</Quiet>
          ) : (
            <WornRoles roles={[stack.primary, ...stack.stacked].map((role) => role.name)} />
          )}
        </Group>
      </Group>
      <Quiet size="xs" lineClamp={1}>
        {place}
        {words === null ? null : (
          <>
            {' · '}
            <Trans text="“<words/>”" parts={{ words: <Inert text={words} /> }} />
          </>
        )}
      </Quiet>
    </div>
  )
})
