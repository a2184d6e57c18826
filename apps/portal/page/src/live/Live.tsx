import { t } from '../language/index.ts'
import './live.css'
import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  Answer,
  BeingLink,
  Card,
  Empty,
  Inert,
  MomentLink,
  PageHead,
  Quiet,
  Rows,
  Time,
} from '../parts/index.ts'
import { durationOf } from '../words/duration.ts'
import { OutcomeText } from './OutcomeText.tsx'
import { type LatelyFound, latelyQuery, type SpokenWords } from './queries.ts'
import { runsOf } from './runs.ts'
import { SpokenGraph } from './SpokenGraph.tsx'
import { Strip } from './Strip.tsx'

const LIVE_ANEW_MS = 5000
/** The newest lines; the strip has all. */
const LISTED_MAX = 20
const LIVE_SPANS = [
  { value: '300', label: t('5 minutes') },
  { value: '900', label: t('15 minutes') },
  { value: '3600', label: t('an hour') },
]

/** Who talks to whom now, what happened in the last minutes, and what waits for whom. */
export function Live() {
  const [span, setSpan] = useState('900')
  const lately = useQuery({
    ...latelyQuery(Number(span)),
    refetchInterval: LIVE_ANEW_MS,
    placeholderData: (before) => before,
  })
  return (
    <Stack>
      <PageHead
        title={t('Live')}
        action={
          <SegmentedControl
            size="xs"
            aria-label={t('How far back')}
            data={LIVE_SPANS}
            value={span}
            onChange={setSpan}
          />
        }
      >
        {t('Of the beings whose past is open to you.')}
      </PageHead>
      <Answer of={lately}>{(found) => <Found {...found} />}</Answer>
    </Stack>
  )
}

function Found({ spoken, strip, waiting, isAll, since, until }: LatelyFound) {
  return (
    <>
      <Waits waiting={waiting} />
      {strip.length === 0 ? (
        <Empty title={t('Nothing happened in this time')}>
          {t('Speak to a being, or look further back.')}
        </Empty>
      ) : (
        <>
          <Card isPart title={t('The last minutes')}>
            <Strip since={since} until={until} strip={strip} />
            {isAll ? null : <Quiet>{t('More happened than is shown.')}</Quiet>}
          </Card>
          <div className="halves">
            <Card isPart title={t('Who spoke to whom')}>
              {spoken.length === 0 ? (
                <Text size="sm">{t('Nobody spoke to another.')}</Text>
              ) : (
                <SpokenGraph spoken={spoken} />
              )}
              {spoken.length === 0 ? null : <Pairs spoken={spoken} />}
            </Card>
            <Card isPart title={t('What happened')}>
              <Rows
                label={t('Moments')}
                items={runsOf(strip, LISTED_MAX)}
                keyOf={({ mark: { being, n } }) => `${being} ${n}`}
                height={44}
              >
                {({ mark, count }) => (
                  <MomentLink being={mark.being} n={mark.n} className="row">
                    <Group justify="space-between" wrap="nowrap" gap="xs">
                      <OutcomeText {...mark} count={count} />
                      <Text size="xs">
                        <Time iso={mark.endedAt} />
                      </Text>
                    </Group>
                  </MomentLink>
                )}
              </Rows>
            </Card>
          </div>
        </>
      )}
    </>
  )
}

const Pairs = ({ spoken }: { readonly spoken: readonly SpokenWords[] }) => (
  <Rows label={t('Who spoke to whom')} items={spoken} keyOf={({ from, to }) => `${from} ${to}`} height={62}>
    {({ from, to, count, failed, thread, last, words, outside }) => (
      <Link to="/threads/$id" params={{ id: thread }} className="row">
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text size="sm" className="inert">
            {from} → {to}
          </Text>
          <Quiet size="xs">
            {t('{{count}} times', { count })}
            {failed > 0 ? `, ${t('{{failed}} failed', { failed })}` : ''}, <Time iso={last} />
          </Quiet>
        </Group>
        {words === null ? null : (
          <Quiet lineClamp={2}>
            <Inert text={words} />
            {outside === true ? ` (${t('from outside')})` : ''}
          </Quiet>
        )}
      </Link>
    )}
  </Rows>
)

const Waits = ({ waiting }: Pick<LatelyFound, 'waiting'>) => (
  <Card isPart title={t('What waits')}>
    {waiting.length === 0 ? <Text size="sm">{t('Nothing waits for anybody.')}</Text> : null}
    {waiting.map(({ being, cognition, count, seconds, from }) => (
      <Text key={being} size="sm">
        <BeingLink stance={being} />{' '}
        {cognition === 'human'
          ? t('has {{count}} entries to answer or to read', { count })
          : t('has yet to hear {{count}} entries', { count })}
        <span className="quiet">
          {from === null
            ? t(', the oldest for {{duration}}', { duration: durationOf(1000 * seconds) })
            : t(', the oldest from {{from}} for {{duration}}', {
                from,
                duration: durationOf(1000 * seconds),
              })}
        </span>
      </Text>
    ))}
  </Card>
)
