import { Group, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { NamedTally, SpendingReport as Spent } from '@treeos/client'
import { useState } from 'react'
import { Answer, BeingLink, Card, Inert, MomentLink, Quiet, Rows, SmallButton, Time } from '../parts/index.ts'
import { durationOf } from '../words/duration.ts'
import { amountOf, WHICH_MONEY } from '../words/money.ts'
import { adviceOnSpending } from './advice.ts'
import { Bars } from './Bars.tsx'
import { spendingQuery } from './queries.ts'
import './health.css'

const SPENDING_SPANS = [
  { value: '3600', label: 'hour' },
  { value: '86400', label: 'day' },
  { value: '604800', label: 'week' },
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
  return (
    <Stack>
      <Group justify="space-between">
        <Quiet>Of the beings whose past is open to you.</Quiet>
        <SegmentedControl
          size="xs"
          aria-label="Over which time"
          data={SPENDING_SPANS}
          value={span}
          onChange={setSpan}
        />
      </Group>
      <Answer of={spending}>
        {(found) => (
          <>
            <WhatToDo of={found} />
            {found.failures.length === 0 ? null : <Failures failures={found.failures} />}
            <div className="halves">
              <SpendingOver of={found} />
              <By of={found} />
            </div>
          </>
        )}
      </Answer>
    </Stack>
  )
}

const WhatToDo = ({ of }: { readonly of: Spent }) => (
  <Card isPart title="What to do">
    {adviceOnSpending(of).map(({ tone, text, moment }) => (
      <Text key={text} size="sm" className="advice" data-tone={tone}>
        <Inert text={text} />{' '}
        {moment === undefined ? null : <MomentLink {...moment}>Open the newest</MomentLink>}
      </Text>
    ))}
  </Card>
)

const MEASURES = {
  moments: { label: 'Moments', of: ({ moments }: Spent['parts'][number]) => moments, show: String },
  tokens: { label: 'Tokens', of: ({ tokens }: Spent['parts'][number]) => tokens, show: numberText },
  money: { label: 'Money', of: ({ money }: Spent['parts'][number]) => money, show: amountOf },
  seconds: {
    label: 'Latency',
    of: ({ seconds }: Spent['parts'][number]) => seconds?.p95 ?? 0,
    show: (value: number) => durationOf(1000 * value),
  },
} as const
type SpendingMeasure = keyof typeof MEASURES

function SpendingOver({ of }: { readonly of: Spent }) {
  const [measure, setMeasure] = useState<SpendingMeasure>('moments')
  const { of: measured, show } = MEASURES[measure]
  const { moments, failures, tokens, money, seconds } = of.all
  return (
    <Card isPart title="Over time">
      <Text size="sm">
        {moments.toLocaleString()} moments, {failures.toLocaleString()} failed, {numberText(tokens)} tokens,{' '}
        {amountOf(money)} of money
        {seconds === null
          ? ''
          : `; half took ${durationOf(1000 * seconds.p50)} at most, 95 % ${durationOf(1000 * seconds.p95)}`}
        .
      </Text>
      {money > 0 ? <Quiet size="xs">{WHICH_MONEY}</Quiet> : null}
      <SegmentedControl
        size="xs"
        aria-label="What is drawn"
        data={Object.entries(MEASURES).map(([value, { label }]) => ({ value, label }))}
        value={measure}
        onChange={(chosen) => setMeasure(chosen as SpendingMeasure)}
      />
      <Bars
        label={MEASURES[measure].label}
        bars={of.parts.map((part) => ({
          from: part.from,
          value: measured(part),
          bad: measure === 'moments' ? part.failures : 0,
          text: show(measured(part)),
        }))}
      />
    </Card>
  )
}

const SPENDERS = [
  { value: 'beings', label: 'Beings' },
  { value: 'roles', label: 'Roles' },
  { value: 'models', label: 'Models' },
]
type Kind = 'beings' | 'roles' | 'models'
const NO_SPENDER: Readonly<Record<Kind, string>> = { beings: 'nobody', roles: 'no role', models: 'no model' }

function By({ of }: { readonly of: Spent }) {
  const [kind, setKind] = useState<Kind>('beings')
  return (
    <Card isPart title="By what">
      <SegmentedControl
        size="xs"
        aria-label="By what"
        data={SPENDERS}
        value={kind}
        onChange={(chosen) => setKind(chosen as Kind)}
      />
      {of[kind].length === 0 ? (
        <Text size="sm">Nothing in this time.</Text>
      ) : (
        <Tallies kind={kind} of={of[kind]} />
      )}
    </Card>
  )
}

const Tallies = ({ kind, of }: { readonly kind: Kind; readonly of: readonly NamedTally[] }) => (
  <Table.ScrollContainer minWidth={420}>
    <Table
      tabularNums
      data={{
        head: ['Name', 'Moments', 'Failed', 'Tokens', 'Money', '95 % within'],
        body: of.map((one) => [<Name key="name" kind={kind} name={one.name} />, ...cellsOf(one)]),
      }}
    />
  </Table.ScrollContainer>
)

const cellsOf = ({ moments, failures, tokens, money, seconds }: NamedTally) => [
  moments,
  failures,
  numberText(tokens),
  amountOf(money),
  seconds === null ? '' : durationOf(1000 * seconds.p95),
]

function Name({ kind, name }: { readonly kind: Kind; readonly name: string | null }) {
  if (name === null) return <span className="quiet">{NO_SPENDER[kind]}</span>
  return <div className="name">{kind === 'beings' ? <BeingLink stance={name} /> : <Inert text={name} />}</div>
}

/** So many stand above what was spent. */
const FAILURES_SHOWN = 10

function Failures({ failures }: Pick<Spent, 'failures'>) {
  const [isAsked, ask] = useState(false)
  const isWhole = isAsked || failures.length <= FAILURES_SHOWN + 2
  const shown = isWhole ? failures : failures.slice(0, FAILURES_SHOWN)
  return (
    <Card isPart title="Failures">
      <FailureRows failures={shown} />
      {isWhole ? null : (
        <div>
          <SmallButton onClick={() => ask(true)}>Show all {failures.length}</SmallButton>
        </div>
      )}
    </Card>
  )
}

const FailureRows = ({ failures }: Pick<Spent, 'failures'>) => (
  <Rows label="Failures" items={failures} keyOf={({ being, n }) => `${being} ${n}`} height={58}>
    {({ being, n, at, role, reason, message }) => (
      <MomentLink being={being} n={n} className="row">
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text size="sm">
            <b>
              <Inert text={being} />
            </b>{' '}
            {role === null ? '' : 'as '}
            <Inert text={role ?? ''} /> failed: {reason ?? 'no reason'}
          </Text>
          <Text size="xs">
            <Time iso={at} />
          </Text>
        </Group>
        {message === null ? null : (
          <Text size="sm" className="quiet" lineClamp={2}>
            <Inert text={message} />
          </Text>
        )}
      </MomentLink>
    )}
  </Rows>
)

function numberText(value: number): string {
  return value.toLocaleString(undefined, { maximumFractionDigits: 4 })
}
