import { Accordion, Anchor, Badge, Code, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { momentQuery } from '../api/queries.ts'
import { BeingLink } from '../shell/links.tsx'
import { Answer } from '../shell/states.tsx'
import { Time } from '../shell/Time.tsx'
import { Content, Inert } from '../text/Inert.tsx'
import { type Clause, Clauses } from './Clauses.tsx'
import { OutcomeBadge } from './Outcome.tsx'
import { WhyNot } from './WhyNot.tsx'

/** One past moment, opened: from what woke it to the facts that it left. */
export function Moment({ name, n }: { readonly name: string; readonly n: number }) {
  const past = useQuery(momentQuery(name, n))
  return (
    <Answer of={past}>
      {({ moment, wake, explained, prompt, layers, decision, facts, cost, temporalUi, mayAskOfActs }) => (
        <Stack gap="md">
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
          {moment.message === undefined ? null : (
            <div className="card">
              <Inert text={moment.message} />
            </div>
          )}
          <Part title="What woke it">
            <Text size="sm">
              {moment.woke === null ? (
                'Nothing: a younger life of the being closed it.'
              ) : (
                <>
                  <b>{moment.woke.trigger}</b>
                  {moment.woke.from === null ? null : (
                    <>
                      {' from '}
                      <BeingLink stance={moment.woke.from} />
                    </>
                  )}
                  {moment.woke.what === undefined ? null : (
                    <>
                      : <Inert text={moment.woke.what} />
                    </>
                  )}
                  {' · '}
                  <Link to="/threads/$id" params={{ id: moment.woke.thread }}>
                    its thread
                  </Link>
                </>
              )}
            </Text>
            {wake === null ? null : (
              <div className="block">
                <Content value={wake} />
              </div>
            )}
          </Part>
          {explained === null ? null : (
            <Part title="What it wore">
              <Group gap={6}>
                {[explained.primary, ...explained.stacked]
                  .filter((role) => role != null)
                  .map((role, i) => (
                    <Badge key={role} variant={i === 0 ? 'light' : 'outline'} tt="none">
                      {role}
                    </Badge>
                  ))}
              </Group>
              <Clauses clauses={explained.clauses as readonly Clause[]} />
            </Part>
          )}
          <Part title="What it decided">
            {decision === null ? (
              <Text size="sm" className="quiet">
                Nothing is recorded.
              </Text>
            ) : (
              <div className="block code">
                <Content value={decision} />
              </div>
            )}
            {explained === null ? null : <Gates {...explained.gates} />}
          </Part>
          {facts.length === 0 ? null : (
            <Part title="What it left">
              <Table.ScrollContainer minWidth={320}>
                <Table verticalSpacing={4} className="facts">
                  <Table.Tbody>
                    {facts.map(({ reel, seq, kind, payload }) => (
                      <Table.Tr key={`${reel} ${seq}`}>
                        <Table.Td>
                          <Text size="sm">{kind}</Text>
                          <Text size="xs" className="quiet inert">
                            {reel} {seq}
                          </Text>
                        </Table.Td>
                        <Table.Td className="code">
                          <Content value={payload} />
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
            </Part>
          )}
          {explained === null ? null : (
            <Part title="What would have had to be otherwise">
              <WhyNot
                key={`${name} ${n}`}
                name={name}
                n={n}
                roles={rolesIn(explained)}
                call={decision?.kind === 'call' ? decision.call : null}
                mayAskOfActs={mayAskOfActs}
              />
            </Part>
          )}
          <Text size="sm" className="quiet">
            {cost === null
              ? 'No model was asked.'
              : `${cost.tokens} tokens in ${cost.attempts} ${cost.attempts === 1 ? 'call' : 'calls'}${cost.money > 0 ? `, ${cost.money}` : ''}`}
          </Text>
          {prompt === null ? null : (
            <Accordion variant="contained">
              <Accordion.Item value="prompt">
                <Accordion.Control>
                  The prompt, in layers{' '}
                  <Badge variant="light" color={prompt.identical ? 'leaf' : 'orange'} tt="none">
                    {prompt.identical
                      ? 'as recorded'
                      : prompt.older === true
                        ? 'of an older form'
                        : 'differs'}
                  </Badge>
                </Accordion.Control>
                <Accordion.Panel>
                  <Stack gap="sm">
                    {layers.map((layer, i) => (
                      <LayerBlock key={i} {...layer} />
                    ))}
                    <LayerBlock title="User message" origin="content of the wake" text={prompt.user} />
                  </Stack>
                </Accordion.Panel>
              </Accordion.Item>
            </Accordion>
          )}
          {explained === null || explained.faults.length === 0 ? null : (
            <Part title="Errors of attempts">
              {explained.faults.map(({ part, attempt, message }) => (
                <Text key={`${part} ${attempt}`} size="sm">
                  {part} {attempt}: <Inert text={message} />
                </Text>
              ))}
            </Part>
          )}
        </Stack>
      )}
    </Answer>
  )
}

/** Those that the flow names, and what was worn. */
const rolesIn = ({
  clauses,
  primary,
}: {
  readonly clauses: readonly { readonly role: string | null }[]
  readonly primary?: string | null
}): string[] => [
  ...new Set([...clauses.map(({ role }) => role), primary].filter((role) => typeof role === 'string')),
]

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="card" aria-label={title}>
    <Stack gap="xs">
      <Text fw={600} size="sm">
        {title}
      </Text>
      {children}
    </Stack>
  </section>
)

const Gates = ({ allowed, by }: { readonly allowed: boolean | null; readonly by: readonly string[] }) =>
  allowed === null ? null : (
    <Group gap={6}>
      <Badge variant="light" color={allowed ? 'leaf' : 'red'} tt="none">
        {allowed ? 'allowed by' : 'refused by'}
      </Badge>
      {by.map((rule) => (
        <Code key={rule}>{rule}</Code>
      ))}
    </Group>
  )

const LayerBlock = ({
  title,
  origin,
  text,
}: {
  readonly title: string
  readonly origin: string
  readonly text: string
}) => (
  <div>
    <Text size="sm" fw={600}>
      {title}{' '}
      <Text span size="xs" fw={400} className="quiet">
        {origin}
      </Text>
    </Text>
    <div className="block code">
      <Inert text={text} />
    </div>
  </div>
)
