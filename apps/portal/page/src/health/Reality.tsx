import { Text } from '@mantine/core'
import { BeingLink, Card, plural, Quiet } from '../parts/index.ts'
import { durationOf } from '../words/duration.ts'
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
          .map(
            ([whose, limits]) =>
              `Each ${whose} being without a budget of its own: ${limitsIn(limits, inCurrency)}.`,
          )
          .join(' ')}
      </Quiet>
    </>
  )
}

const share = (whose: string, { waiting, oldestSeconds }: HealthFound['wakes']['ofPeople']) =>
  waiting === 0
    ? ''
    : `; ${waiting} of them ${waiting === 1 ? 'is' : 'are'} ${whose}, the oldest for ${durationOf(1000 * oldestSeconds)}`

const WaitingWakes = ({
  wakes,
  late,
  inbox,
  parked,
}: Pick<HealthFound, 'wakes' | 'late' | 'inbox' | 'parked'>) => (
  <Card isPart title="What waits">
    <Text size="sm">
      {wakes.waiting === 0
        ? 'No wake waits for a worker.'
        : `${plural(wakes.waiting, 'wake waits', 'wakes wait')} for a worker, the oldest for ${durationOf(1000 * wakes.oldestSeconds)}, half of them for more than ${durationOf(1000 * wakes.medianSeconds)}${share('of people', wakes.ofPeople)}${share('in the background', wakes.inBackground)}.`}
    </Text>
    {late.map(({ stance, seconds }) => (
      <Text key={stance} size="sm">
        <BeingLink stance={stance} /> <span className="quiet">for {durationOf(1000 * seconds)}</span>
      </Text>
    ))}
    <Text size="sm">
      {inbox.waiting + inbox.notices === 0
        ? 'Nothing waits for people.'
        : `${plural(inbox.waiting, 'entry', 'entries')} and ${plural(inbox.notices, 'notice')} wait for people, the oldest for ${durationOf(1000 * inbox.oldestSeconds)}.`}
    </Text>
    {parked === 0 ? null : (
      <Text size="sm">
        {plural(parked, 'being is', 'beings are')} parked by a budget: the inbox says whose, and approval lets
        them go on.
      </Text>
    )}
  </Card>
)

function limitsIn(
  { momentsPerMinute, tokens, money, per = 'total' }: Budget['limits'],
  inCurrency: (money: number) => string,
): string {
  const time = per === 'day' ? 'a day' : 'in total'
  const parts = [
    ...(momentsPerMinute === undefined ? [] : [`${momentsPerMinute} moments a minute`]),
    ...(tokens === undefined ? [] : [`${tokens.toLocaleString('en')} tokens ${time}`]),
    ...(money === undefined ? [] : [`${inCurrency(money)} ${time}`]),
  ]
  return parts.length === 0 ? 'no limit' : parts.join(', ')
}
