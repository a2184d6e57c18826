import { Trans, t } from '../language/index.ts'
import './moment.css'
import { Accordion, Anchor, Badge, Group, Code as Rule, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { momentQuery } from '../api/queries.ts'
import {
  Answer,
  BeingLink,
  Block,
  Card,
  Code,
  Inert,
  MomentLink,
  Quiet,
  Time,
  WornRoles,
} from '../parts/index.ts'
import { ReceiptButton } from '../sharing/Receipt.tsx'
import { Share } from '../sharing/Share.tsx'
import { durationOf } from '../words/duration.ts'
import { Failure } from '../words/Failure.tsx'
import { amountOf } from '../words/money.ts'
import { type Clause, Clauses } from './Clauses.tsx'
import { didIn, type MomentView, spokenIn, wokenIn } from './moment-words.ts'
import { OutcomeBadge } from './Outcome.tsx'
import { PromptLayers } from './PromptLayers.tsx'
import { Waterfall } from './Waterfall.tsx'
import { WhyNot } from './WhyNot.tsx'

interface MomentProps {
  readonly name: string
  readonly n: number
}

/** One past moment: what was said and done, what took how long, why, and the record, folded away. */
export function Moment({ name, n }: MomentProps) {
  const past = useQuery(momentQuery(name, n))
  return (
    <Answer of={past}>
      {(found) => {
        const { explained, decision, facts, beats, mayAskOfActs } = found
        return (
          <Stack>
            <MomentHead name={name} n={n} of={found} />
            <Happened name={name} {...found} />
            <Waterfall beats={beats} />
            {explained === null ? null : (
              <Card title={t('What it wore')}>
                <Group gap={6}>
                  <WornRoles roles={[explained.primary, ...explained.stacked]} />
                </Group>
                <GatesOfCall {...explained.gates} />
                <Clauses clauses={explained.clauses as readonly Clause[]} />
              </Card>
            )}
            <PromptLayers name={name} n={n} {...found} />
            <Folded title={t('The record')} label={t('What it decided and left')}>
              <Card title={t('What it decided')}>
                {decision === null ? <Quiet>{t('Nothing is recorded.')}</Quiet> : <Block value={decision} />}
              </Card>
              {facts.length === 0 ? null : <Facts facts={facts} />}
              <AttemptFaults faults={explained?.faults ?? []} />
            </Folded>
            {explained === null ? null : (
              <Card title={t('What would have had to be otherwise')}>
                <WhyNot
                  key={`${name} ${n}`}
                  name={name}
                  n={n}
                  roles={rolesIn(explained)}
                  call={decision?.kind === 'call' ? decision.call : null}
                  mayAskOfActs={mayAskOfActs}
                />
              </Card>
            )}
          </Stack>
        )
      }}
    </Answer>
  )
}

interface FoldedProps {
  readonly title: string
  readonly label: string
  readonly children: ReactNode
}

const Folded = ({ title, label, children }: FoldedProps) => (
  <Accordion variant="contained">
    <Accordion.Item value="folded">
      <Accordion.Control>
        {title}{' '}
        <Text span size="xs" className="quiet">
          {label}
        </Text>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="sm">{children}</Stack>
      </Accordion.Panel>
    </Accordion.Item>
  </Accordion>
)

interface HeadProps extends MomentProps {
  readonly of: MomentView
}

const MomentHead = ({ name, n, of: { moment, temporalUi } }: HeadProps) => (
  <Group justify="space-between" align="baseline">
    <Group gap="xs" align="baseline">
      <Title order={2}>{t('Moment {{n}}', { n })}</Title>
      <OutcomeBadge outcome={moment.outcome} reason={moment.reason} />
      <Text size="sm">
        <Time iso={moment.openedAt} seconds />
      </Text>
    </Group>
    <Group gap={4}>
      {temporalUi === null ? null : (
        <Anchor href={temporalUi} target="_blank" rel="noreferrer" size="sm" className="on-screen">
          {t('its workflow in Temporal')}
        </Anchor>
      )}
      <Share of={{ to: '/beings/$name', params: { name }, search: { n } }} />
      <ReceiptButton name={name} n={n} />
    </Group>
  </Group>
)

/** What was said and done, in sentences, with what it cost. */
function Happened({ name, ...found }: MomentView & Pick<MomentProps, 'name'>) {
  const { moment, wake, decision, explained, cost, beats } = found
  const spoken = spokenIn(found)
  const failed = moment.outcome === 'failure'
  const lived = beats.filter(({ name }) => name !== 'wait')
  const [first, last] = [lived[0]?.from ?? 0, Math.max(0, ...lived.map(({ to }) => to))]
  return (
    <Card title={t('What happened')}>
      <Text size="sm">
        <Inert text={wokenIn(found)} />
        {moment.woke === null ? null : (
          <>
            {' · '}
            <Link to="/threads/$id" params={{ id: moment.woke.thread }}>
              {t('its thread')}
            </Link>
          </>
        )}
      </Text>
      {wake === null ? null : moment.woke?.from == null ? (
        <Text size="sm">
          <Inert text={found.wakeText} />
        </Text>
      ) : (
        <div className="said">
          <Inert text={found.wakeText} />
        </div>
      )}
      <ApprovedBy trigger={moment.woke?.trigger} wake={wake} />
      <Text size="sm">
        <Inert text={didIn({ moment, decision })} />
      </Text>
      {spoken === null ? null : (
        <div className="said" data-mine="true">
          <Inert text={spoken} />
        </div>
      )}
      {explained?.unheard === undefined ? null : (
        <Text size="sm">
          <Trans
            text="What it wrote reached nobody: <words/>"
            parts={{ words: <Inert text={explained.unheard} /> }}
          />
        </Text>
      )}
      {moment.content === undefined || moment.content === '' ? null : (
        <Quiet>
          <Trans text="It thought: <words/>" parts={{ words: <Inert text={moment.content} /> }} />
        </Quiet>
      )}
      {failed ? <Failure code={moment.reason ?? null} message={moment.message ?? null} /> : null}
      {moment.wentOn === undefined ? null : (
        <Text size="sm">
          {moment.wentOn === null ? (
            t('It decides again.')
          ) : (
            <Trans
              text="It decided again in <moment/>."
              parts={{
                moment: (
                  <MomentLink being={name} n={moment.wentOn}>
                    {t('moment {{n}}', { n: moment.wentOn })}
                  </MomentLink>
                ),
              }}
            />
          )}
        </Text>
      )}
      {failed || moment.message === undefined ? null : (
        <Text size="sm">
          <Inert text={moment.message} />
        </Text>
      )}
      {moment.driver === undefined ? null : (
        <Text size="sm">
          <Trans text="<being/> decided for it." parts={{ being: <BeingLink stance={moment.driver} /> }} />
        </Text>
      )}
      <Quiet>
        {durationOf(last - first)} ·{' '}
        {cost === null
          ? t('no model was asked')
          : t('{{count}} tokens in {{calls}}', {
              count: cost.tokens,
              calls: t('{{count}} calls', { count: cost.attempts }),
            })}
        {cost === null || cost.money === 0
          ? ''
          : t(', {{amount}} by the price list', { amount: amountOf(cost.money) })}
      </Quiet>
    </Card>
  )
}

/** Who said yes to a call that waited. */
function ApprovedBy({ trigger, wake }: { readonly trigger: string | undefined; readonly wake: unknown }) {
  const { actor } = (wake ?? {}) as { readonly actor?: unknown }
  if (trigger !== 'approved' || typeof actor !== 'string') return null
  return (
    <Text size="sm" fw={600}>
      <Trans text="Approved by <being/>" parts={{ being: <BeingLink stance={actor} /> }} />
    </Text>
  )
}

const AttemptFaults = ({ faults }: Pick<NonNullable<MomentView['explained']>, 'faults'>) =>
  faults.length === 0 ? null : (
    <Card title={t('Errors of attempts')}>
      {faults.map(({ part, attempt, message }) => (
        <Text key={`${part} ${attempt}`} size="sm">
          {part} {attempt}: <Inert text={message} />
        </Text>
      ))}
    </Card>
  )

const Facts = ({ facts }: Pick<MomentView, 'facts'>) => (
  <Card title={t('What it left')}>
    <Table.ScrollContainer minWidth={320}>
      <Table
        className="facts"
        data={{
          body: facts.map(({ reel, seq, kind, payload }) => [
            <>
              <Text size="sm">{kind}</Text>
              <Quiet size="xs" className="quiet inert">
                {reel} {seq}
              </Quiet>
            </>,
            <Code key="payload" value={payload} />,
          ]),
        }}
      />
    </Table.ScrollContainer>
  </Card>
)

/** Those that the flow names, and what was worn. */
const rolesIn = ({
  clauses,
  primary,
}: Pick<NonNullable<MomentView['explained']>, 'clauses' | 'primary'>): string[] => [
  ...new Set([...clauses.map(({ role }) => role), primary].filter((role) => typeof role === 'string')),
]

const GatesOfCall = ({
  allowed,
  by,
}: {
  readonly allowed: boolean | null
  readonly by: readonly string[]
}) =>
  allowed === null ? null : (
    <Group gap={6}>
      <Badge color={allowed ? 'leaf' : 'red'}>{allowed ? t('allowed by') : t('refused by')}</Badge>
      {by.map((rule) => (
        <Rule key={rule}>{rule}</Rule>
      ))}
    </Group>
  )
