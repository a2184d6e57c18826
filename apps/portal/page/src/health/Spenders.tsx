import { SegmentedControl, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { NamedTally, SpendingReport as Spent } from '@treeos/client'
import { type ReactNode, useState } from 'react'
import { LOCALE, t } from '../language/index.ts'
import { BeingLink, Card, Inert } from '../parts/index.ts'
import { durationOf } from '../words/duration.ts'
import { useMoney } from '../words/useMoney.ts'
import { numberText } from './number-text.ts'

const SPENDERS = [
  { value: 'beings', label: t('Beings') },
  { value: 'roles', label: t('Roles') },
  { value: 'spaces', label: t('Spaces') },
  { value: 'threads', label: t('Threads') },
  { value: 'models', label: t('Models') },
  { value: 'days', label: t('Days') },
] as const
type SpenderKind = (typeof SPENDERS)[number]['value']
const NO_SPENDER: Readonly<Record<SpenderKind, string>> = {
  beings: t('nobody'),
  roles: t('no role'),
  spaces: t('nowhere'),
  threads: t('no thread'),
  models: t('no model'),
  days: t('no day'),
}

/** What was spent, by who or what spent it. */
export function Spenders({ of }: { readonly of: Spent }) {
  const [kind, setKind] = useState<SpenderKind>('beings')
  return (
    <Card isPart title={t('By what')}>
      <div className="spenders">
        <SegmentedControl
          size="xs"
          aria-label={t('By what')}
          data={[...SPENDERS]}
          value={kind}
          onChange={(chosen) => setKind(chosen as SpenderKind)}
        />
      </div>
      {of[kind].length === 0 ? (
        <Text size="sm">{t('Nothing in this time.')}</Text>
      ) : (
        <Tallies kind={kind} of={of[kind]} />
      )}
    </Card>
  )
}

function Tallies({ kind, of }: { readonly kind: SpenderKind; readonly of: readonly Spender[] }) {
  const inCurrency = useMoney()
  const cellsOf = ({ moments, failures, tokens, money, seconds }: NamedTally) => [
    inCurrency(money),
    numberText(tokens),
    moments,
    failures,
    seconds === null ? '' : durationOf(1000 * seconds.p95),
  ]
  return (
    <Table.ScrollContainer minWidth={420} mah="24rem">
      <Table
        tabularNums
        data={{
          head: [t('Name'), t('Money'), t('Tokens'), t('Moments'), t('Failed'), t('95 % within')],
          body: of.map((one) => [<SpenderName key="name" kind={kind} {...one} />, ...cellsOf(one)]),
        }}
      />
    </Table.ScrollContainer>
  )
}

type Spender = NamedTally & { readonly subject?: string | null }

const DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' })

function SpenderName({ kind, name, subject }: Spender & { readonly kind: SpenderKind }) {
  if (name === null) return <span className="quiet">{NO_SPENDER[kind]}</span>
  const shown: Readonly<Record<SpenderKind, ReactNode>> = {
    beings: <BeingLink stance={name} />,
    roles: (
      <Link to="/roles" search={{ role: name }} className="plain">
        <Inert text={name} />
      </Link>
    ),
    spaces: (
      <Link to="/world" search={{ at: name }} className="plain">
        <Inert text={name} />
      </Link>
    ),
    threads: (
      <Link to="/threads/$id" params={{ id: name }} className="plain">
        <Text size="sm" lineClamp={2} component="span">
          <Inert text={subject ?? t('the thread {{name}}', { name })} />
        </Text>
      </Link>
    ),
    models: <Inert text={name} />,
    days: kind === 'days' ? DAY.format(Date.parse(name)) : null,
  }
  return <div className="name">{shown[kind]}</div>
}
