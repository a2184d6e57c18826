import { Group, Progress, Stack } from '@mantine/core'
import { t } from '../language/index.ts'
import { Answer, Empty, PageHead, Quiet, SmallButton } from '../parts/index.ts'
import { Player } from './Player.tsx'
import { useTrack } from './useTrack.ts'

/** The world as it was after any entry of its record: where everyone was, and what they wore. */
export function Replay() {
  const { track, upTo, query, isStopped, stop, goOn } = useTrack()
  const { newest } = track
  return (
    <Stack>
      <PageHead title={t('Replay')}>
        {t('The record from its first fact on, as far as the past is open to you.')}
      </PageHead>
      {query.isFetching && track.upTo < newest ? (
        <Group gap="sm" wrap="nowrap">
          <Progress
            flex={1}
            value={(100 * track.upTo) / Math.max(1, newest)}
            aria-label={t('Loading of the record')}
          />
          <Quiet>{t('{{upTo}} of {{newest}}', { upTo: track.upTo, newest })}</Quiet>
          <SmallButton onClick={stop}>{t('Stop')}</SmallButton>
        </Group>
      ) : isStopped ? (
        <Group gap="sm">
          <Quiet>{t('Loaded up to {{upTo}} of {{newest}}.', { upTo: track.upTo, newest })}</Quiet>
          <SmallButton onClick={goOn}>{t('Load the rest')}</SmallButton>
        </Group>
      ) : null}
      <Answer of={upTo > 0 ? { ...query, data: upTo } : query}>
        {() =>
          track.next(0) === null ? (
            <Empty title={t('Nothing is open to you yet')}>
              {t('The past of a being is open to itself, to its makers and to the operator.')}
            </Empty>
          ) : (
            <Player track={track} upTo={upTo} />
          )
        }
      </Answer>
    </Stack>
  )
}
