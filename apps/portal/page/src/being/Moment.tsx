import { Anchor, Badge, Group, Code as Rule, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FoundBy } from '../api/deed.ts'
import { momentQuery } from '../api/queries.ts'
import {
  Answer,
  BeingLink,
  Block,
  Card,
  Code,
  Content,
  Inert,
  plural,
  Quiet,
  Time,
  WornRoles,
} from '../parts/index.ts'
import { type Clause, Clauses } from './Clauses.tsx'
import { OutcomeBadge } from './Outcome.tsx'
import { PromptLayers } from './PromptLayers.tsx'
import { WhyNot } from './WhyNot.tsx'

type Found = FoundBy<ReturnType<typeof momentQuery>>

interface Props {
  readonly name: string
  readonly n: number
}

/** One past moment, opened: from what woke it to the facts that it left. */
export function Moment({ name, n }: Props) {
  const past = useQuery(momentQuery(name, n))
  return (
    <Answer of={past}>
      {(found) => {
        const { moment, explained, decision, facts, cost, mayAskOfActs } = found
        return (
          <Stack>
            <Head n={n} of={found} />
            {moment.message === undefined ? null : (
              <div className="card">
                <Inert text={moment.message} />
              </div>
            )}
            <WhatWoke {...found} />
            {explained === null ? null : (
              <Card title="What it wore">
                <Group gap={6}>
                  <WornRoles roles={[explained.primary, ...explained.stacked]} />
                </Group>
                <Clauses clauses={explained.clauses as readonly Clause[]} />
              </Card>
            )}
            <Card title="What it decided">
              {decision === null ? <Quiet>Nothing is recorded.</Quiet> : <Block value={decision} />}
              {explained === null ? null : <Gates {...explained.gates} />}
            </Card>
            {facts.length === 0 ? null : <Facts facts={facts} />}
            {explained === null ? null : (
              <Card title="What would have had to be otherwise">
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
            <Quiet>
              {cost === null
                ? 'No model was asked.'
                : `${cost.tokens} tokens in ${plural(cost.attempts, 'call')}${cost.money > 0 ? `, ${cost.money}` : ''}`}
            </Quiet>
            <PromptLayers {...found} />
            <Faults faults={explained?.faults ?? []} />
          </Stack>
        )
      }}
    </Answer>
  )
}

const Head = ({ n, of: { moment, temporalUi } }: { readonly n: number; readonly of: Found }) => (
  <Group justify="space-between" align="baseline">
    <Group gap="xs" align="baseline">
      <Title order={2}>Moment {n}</Title>
      <OutcomeBadge outcome={moment.outcome} reason={moment.reason} />
      <Text size="sm">
        <Time iso={moment.openedAt} />
      </Text>
    </Group>
    {temporalUi === null ? null : (
      <Anchor href={temporalUi} target="_blank" rel="noreferrer" size="sm">
        its workflow in Temporal
      </Anchor>
    )}
  </Group>
)

const WhatWoke = ({ moment: { woke }, wake }: Pick<Found, 'moment' | 'wake'>) => (
  <Card title="What woke it">
    <Text size="sm">
      {woke === null ? 'Nothing: a younger life of the being closed it.' : <Woken {...woke} />}
    </Text>
    {wake === null ? null : (
      <div className="block">
        <Content value={wake} />
      </div>
    )}
  </Card>
)

const Faults = ({ faults }: Pick<NonNullable<Found['explained']>, 'faults'>) =>
  faults.length === 0 ? null : (
    <Card title="Errors of attempts">
      {faults.map(({ part, attempt, message }) => (
        <Text key={`${part} ${attempt}`} size="sm">
          {part} {attempt}: <Inert text={message} />
        </Text>
      ))}
    </Card>
  )

const Woken = ({ trigger, from, what, thread }: NonNullable<Found['moment']['woke']>) => (
  <>
    <b>{trigger}</b>
    {from === null ? null : (
      <>
        {' from '}
        <BeingLink stance={from} />
      </>
    )}
    {what === undefined ? null : (
      <>
        : <Inert text={what} />
      </>
    )}
    {' · '}
    <Link to="/threads/$id" params={{ id: thread }}>
      its thread
    </Link>
  </>
)

const Facts = ({ facts }: Pick<Found, 'facts'>) => (
  <Card title="What it left">
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
}: Pick<NonNullable<Found['explained']>, 'clauses' | 'primary'>): string[] => [
  ...new Set([...clauses.map(({ role }) => role), primary].filter((role) => typeof role === 'string')),
]

const Gates = ({ allowed, by }: { readonly allowed: boolean | null; readonly by: readonly string[] }) =>
  allowed === null ? null : (
    <Group gap={6}>
      <Badge color={allowed ? 'leaf' : 'red'}>{allowed ? 'allowed by' : 'refused by'}</Badge>
      {by.map((rule) => (
        <Rule key={rule}>{rule}</Rule>
      ))}
    </Group>
  )
