import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SpendingReport as Spent } from '@treeos/client'
import { useState } from 'react'
import { t } from '../language/index.ts'
import { Answer, Card, Inert, PageHead } from '../parts/index.ts'
import { durationOf } from '../words/duration.ts'
import { useMoney } from '../words/useMoney.ts'
import { adviceOnSpending } from './advice.ts'
import { Bars } from './Bars.tsx'
import { Causes } from './Causes.tsx'
import { numberText } from './number-text.ts'
import { spendingQuery } from './queries.ts'
import { Spenders } from './Spenders.tsx'
import './health.css'

const SPENDING_SPANS = [
  { value: '3600', label: t('hour') },
  { value: '86400', label: t('day') },
  { value: '604800', label: t('week') },
  { value: '2678400', label: t('month') },
]
const SPENDING_ANEW_MS = 30_000

/** What moments cost, took and came to, of all whose past is open to the person; and what to do about it. */
export function Spending() {
  const [span, setSpan] = useState('86400')
  const spending = useQuery({
    ...spendingQuery(Number(span)),
    refetchInterval: SPENDING_ANEW_MS,
    placeholderData: (before) => before,
  })
  const spans = (
    <SegmentedControl
      size="xs"
      aria-label={t('Over which time')}
      data={SPENDING_SPANS}
      value={span}
      onChange={setSpan}
    />
  )
  return (
    <Stack>
      <PageHead title={t('Cost and health')} action={spans}>
        {t('Of the beings whose past is open to you.')}
      </PageHead>
      <Answer of={spending}>
        {(found) => (
          <>
            <div className="halves">
              <Cost of={found} />
              <Spenders of={found} />
            </div>
            <div className="halves">
              <Causes of={found} />
              <WhatToDo of={found} />
            </div>
          </>
        )}
      </Answer>
    </Stack>
  )
}

const WhatToDo = ({ of }: { readonly of: Spent }) => (
  <Card isPart title={t('What stands out')}>
    {adviceOnSpending(of).map(({ tone, text }) => (
      <Text key={text} size="sm" className="advice" data-tone={tone}>
        <Inert text={text} />
      </Text>
    ))}
  </Card>
)

const MEASURES = {
  money: { label: t('Money'), of: ({ money }: Spent['parts'][number]) => money },
  tokens: { label: t('Tokens'), of: ({ tokens }: Spent['parts'][number]) => tokens },
  moments: { label: t('Moments'), of: ({ moments }: Spent['parts'][number]) => moments },
  seconds: { label: t('Latency'), of: ({ seconds }: Spent['parts'][number]) => seconds?.p95 ?? 0 },
} as const
type SpendingMeasure = keyof typeof MEASURES

/** The money spent; the tokens where no model has a price, and the moments where no model was called. */
const largestOf = ({ money, tokens }: Spent['all']): SpendingMeasure =>
  money > 0 ? 'money' : tokens > 0 ? 'tokens' : 'moments'

function Cost({ of }: { readonly of: Spent }) {
  const [chosen, setMeasure] = useState<SpendingMeasure | null>(null)
  const inCurrency = useMoney()
  const { all } = of
  const measure = chosen ?? largestOf(all)
  const show = {
    money: inCurrency,
    tokens: numberText,
    moments: numberText,
    seconds: (value: number) => durationOf(1000 * value),
  }[measure]
  return (
    <Card isPart title={t('Cost')}>
      <div className="spent">{inCurrency(all.money)}</div>
      <Text size="sm">
        {t('{{count}} tokens in {{moments}}, {{failed}} failed', {
          count: all.tokens,
          moments: t('{{count}} moments', { count: all.moments }),
          failed: numberText(all.failures),
        })}
        {all.seconds === null
          ? '.'
          : t('; half took {{half}} at most, 95 % {{most}}.', {
              half: durationOf(1000 * all.seconds.p50),
              most: durationOf(1000 * all.seconds.p95),
            })}
      </Text>
      <SegmentedControl
        size="xs"
        aria-label={t('What is drawn')}
        data={Object.entries(MEASURES).map(([value, { label }]) => ({ value, label }))}
        value={measure}
        onChange={(value) => setMeasure(value as SpendingMeasure)}
      />
      <Bars
        label={MEASURES[measure].label}
        bars={of.parts.map((part) => ({
          from: part.from,
          value: MEASURES[measure].of(part),
          bad: measure === 'moments' ? part.failures : 0,
          text: show(MEASURES[measure].of(part)),
        }))}
      />
    </Card>
  )
}
