import { Text } from '@mantine/core'
import { LOCALE, t } from '../language/index.ts'
import { BeingLink, Card, Quiet } from '../parts/index.ts'
import { durationOf } from '../words/duration.ts'
import { mindText } from '../words/mind-text.ts'
import { useMoney } from '../words/useMoney.ts'
import { Budgets } from './Budgets.tsx'
import type { Budget, HealthFound } from './queries.ts'

/** What waits in the reality, and what was used. */
export function Reality({ standard, budgets, ...waiting }: HealthFound) {
  const inCurrency = useMoney()
  return (
    <>
      <WaitingWakes {...waiting} />
      <Budgets budgets={budgets} />
      <Quiet>
        {Object.entries(standard)
          .map(([whose, limits]) =>
            t('Each {{mind}} being without a budget of its own: {{limits}}.', {
              mind: mindText(whose),
              limits: limitsIn(limits, inCurrency),
            }),
          )
          .join(' ')}
      </Quiet>
    </>
  )
}

function share(isOfPeople: boolean, { waiting, oldestSeconds }: HealthFound['wakes']['ofPeople']): string {
  const duration = durationOf(1000 * oldestSeconds)
  return waiting === 0
    ? ''
    : isOfPeople
      ? t('; {{count}} of them are of people, the oldest for {{duration}}', { count: waiting, duration })
      : t('; {{count}} of them are in the background, the oldest for {{duration}}', {
          count: waiting,
          duration,
        })
}

const WaitingWakes = ({
  wakes,
  late,
  inbox,
  parked,
}: Pick<HealthFound, 'wakes' | 'late' | 'inbox' | 'parked'>) => (
  <Card isPart title={t('What waits')}>
    <Text size="sm">
      {wakes.waiting === 0
        ? t('No wake waits for a worker.')
        : t(
            '{{count}} wakes wait for a worker, the oldest for {{duration}}, half of them for more than {{median}}{{shares}}.',
            {
              count: wakes.waiting,
              duration: durationOf(1000 * wakes.oldestSeconds),
              median: durationOf(1000 * wakes.medianSeconds),
              shares: share(true, wakes.ofPeople) + share(false, wakes.inBackground),
            },
          )}
    </Text>
    {late.map(({ stance, seconds }) => (
      <Text key={stance} size="sm">
        <BeingLink stance={stance} />{' '}
        <span className="quiet">{t('for {{duration}}', { duration: durationOf(1000 * seconds) })}</span>
      </Text>
    ))}
    <Text size="sm">
      {inbox.waiting + inbox.notices === 0
        ? t('Nothing waits for people.')
        : t('{{count}} entries and {{notices}} wait for people, the oldest for {{duration}}.', {
            count: inbox.waiting,
            notices: t('{{count}} notices', { count: inbox.notices }),
            duration: durationOf(1000 * inbox.oldestSeconds),
          })}
    </Text>
    {parked === 0 ? null : (
      <Text size="sm">
        {t('{{count}} beings are parked by a budget: the inbox says whose, and approval lets them go on.', {
          count: parked,
        })}
      </Text>
    )}
  </Card>
)

function limitsIn(
  { momentsPerMinute, tokens, money, per = 'total' }: Budget['limits'],
  inCurrency: (money: number) => string,
): string {
  const time = per === 'day' ? t('a day') : t('in total')
  const parts = [
    ...(momentsPerMinute === undefined
      ? []
      : [t('{{momentsPerMinute}} moments a minute', { momentsPerMinute })]),
    ...(tokens === undefined
      ? []
      : [t('{{tokens}} tokens {{time}}', { tokens: tokens.toLocaleString(LOCALE), time })]),
    ...(money === undefined ? [] : [`${inCurrency(money)} ${time}`]),
  ]
  return parts.length === 0 ? t('no limit') : parts.join(', ')
}
