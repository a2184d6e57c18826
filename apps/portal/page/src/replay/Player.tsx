import { Button, Group, Select, Slider, Stack, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { t } from '../language/index.ts'
import { BeingLink, MomentLink, Quiet, SmallButton, Time } from '../parts/index.ts'
import { Share } from '../sharing/Share.tsx'
import { endedBy } from '../words/end-words.ts'
import { Branch } from './Branch.tsx'
import { Scene } from './Scene.tsx'
import type { Track } from './track.ts'
import { usePosition } from './usePosition.ts'

const SPEEDS = [
  { value: '1', label: t('slow') },
  { value: '4', label: t('four a second') },
  { value: '20', label: t('twenty a second') },
]

interface PlayerProps {
  readonly track: Track
  /** the last entry that was loaded */
  readonly upTo: number
}

/** The record to go through, and what there was at one position of it. */
export function Player({ track, upTo }: PlayerProps) {
  const at = usePosition(track, upTo)
  const { position, goTo } = at
  const step = track.stepAt(position)
  return (
    <>
      <section className="card" aria-label={t('Position')}>
        <Stack gap="xs">
          <Slider
            min={0}
            max={upTo}
            value={position}
            onChange={goTo}
            label={null}
            thumbLabel={t('Position in the record')}
            thumbProps={{ 'aria-valuetext': t('{{position}} of {{upTo}}', { position, upTo }) }}
          />
          <Group justify="space-between" gap="sm">
            <PlayerKeys track={track} upTo={upTo} at={at} />
            <Text size="sm" role="status">
              <b data-entry={position}>{position}</b>{' '}
              <span className="quiet">{t('of {{upTo}}', { upTo })}</span>
              {step === null ? null : (
                <>
                  {' · '}
                  <Time iso={step.at} />
                </>
              )}
            </Text>
          </Group>
          <What step={step} position={position} />
        </Stack>
      </section>
      <Scene track={track} position={position} upTo={upTo} />
    </>
  )
}

interface PlayerKeysProps extends PlayerProps {
  readonly at: ReturnType<typeof usePosition>
}

function PlayerKeys({
  track,
  upTo,
  at: { position, isAtEnd, speed, setSpeed, goTo, play },
}: PlayerKeysProps) {
  const next = track.next(position)
  return (
    <Group gap="xs">
      <SmallButton onClick={() => goTo(0)} disabled={position === 0}>
        {t('Genesis')}
      </SmallButton>
      <SmallButton onClick={() => goTo(track.previous(position))} disabled={position === 0}>
        {t('Back')}
      </SmallButton>
      <Button size="xs" w={72} onClick={speed === null ? play : () => setSpeed(null)}>
        {speed === null ? t('Play') : t('Pause')}
      </Button>
      <SmallButton onClick={() => goTo(next)} disabled={next === null}>
        {t('Forward')}
      </SmallButton>
      <SmallButton onClick={() => goTo(upTo)} disabled={isAtEnd}>
        {t('Now')}
      </SmallButton>
      {speed === null ? null : (
        <Select
          size="xs"
          w={140}
          aria-label={t('Speed')}
          allowDeselect={false}
          data={SPEEDS}
          value={speed}
          onChange={setSpeed}
        />
      )}
    </Group>
  )
}

/** What happened last at a position, with a link to its moment. */
function What({ step, position }: { readonly step: ReturnType<Track['stepAt']>; readonly position: number }) {
  const { in: path } = useSearch({ from: '/signed-in/replay' })
  const share = (
    <Share of={{ to: '/replay', search: { at: position, ...(path === undefined ? {} : { in: path }) } }} />
  )
  if (step?.moment == null)
    return (
      <Group justify="space-between" gap="sm">
        <Quiet>
          {step === null
            ? t('Before the first fact.')
            : t('Facts of no moment: the reality was made or changed by its owner.')}
        </Quiet>
        {share}
      </Group>
    )
  const { being, n, outcome, reason } = step.moment
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm">
        <BeingLink stance={`@${being}`} />
        {' · '}
        <MomentLink being={being} n={n}>
          {t('moment {{n}}: {{outcome}}', { n, outcome: endedBy(outcome, reason) })}
        </MomentLink>
      </Text>
      <Group gap="xs">
        {share}
        <Branch at={`@${being}:${n}`} />
      </Group>
    </Group>
  )
}
