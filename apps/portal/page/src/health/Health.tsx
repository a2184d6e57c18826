import { Badge, Button, Group, Progress, Stack, Table, Text, Title } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, Refusal } from '../api/client.ts'
import { BeingLink } from '../shell/links.tsx'
import { Answer, Empty } from '../shell/states.tsx'
import { Inert } from '../text/Inert.tsx'
import { duration } from './duration.ts'

const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async () => (await api.health.$get()).json(),
})
/** Asks processes of the machine, so it is asked again only when somebody wants to know. */
const machineQuery = queryOptions({
  queryKey: ['machine'],
  queryFn: async () => (await api.machine.$get()).json(),
})
const useOfOwnQuery = queryOptions({
  queryKey: ['use'],
  queryFn: async () => (await api.use.$get()).json(),
})
type HealthFound = Awaited<ReturnType<NonNullable<typeof healthQuery.queryFn>>>
type Budget = HealthFound['budgets'][number]

/** How the reality and its machine do: for the first operator. Everybody else sees what it has used itself. */
export function Health() {
  const health = useQuery(healthQuery)
  const isRefused = health.error instanceof Refusal && health.error.code === 'FORBIDDEN'
  return (
    <Stack gap="md">
      <Title order={1}>Health</Title>
      {isRefused ? (
        <OwnUse />
      ) : (
        <>
          <Machine />
          <Answer of={health}>{(found) => <Reality {...found} />}</Answer>
        </>
      )}
    </Stack>
  )
}

function OwnUse() {
  const use = useQuery(useOfOwnQuery)
  return (
    <Answer of={use}>
      {(budget) => (
        <>
          <Empty title="How the reality does is for its operator">
            This is what you have used yourself, with all that you made.
          </Empty>
          <Budgets budgets={[budget]} />
        </>
      )}
    </Answer>
  )
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="card" aria-label={title}>
    <Stack gap="xs">
      <Title order={2}>{title}</Title>
      {children}
    </Stack>
  </section>
)

function Machine() {
  const machine = useQuery(machineQuery)
  return (
    <Answer of={machine}>
      {({ services, mind, connections, models, slowestBeat, checks }) => (
        <div className="halves">
          <Part title="Services">
            {services.length === 0 ? (
              <Text size="sm" className="quiet">
                Nothing was started here: services of your own are seen where they run.
              </Text>
            ) : (
              <Table verticalSpacing={4}>
                <Table.Tbody>
                  {services.map(({ name, pid, address, runs }) => (
                    <Table.Tr key={`${name} ${pid}`}>
                      <Table.Td>{name}</Table.Td>
                      <Table.Td>
                        <Badge variant="light" color={runs ? 'leaf' : 'red'} tt="none" miw={60}>
                          {runs ? 'runs' : 'ended'}
                        </Badge>
                      </Table.Td>
                      <Table.Td className="quiet">{address}</Table.Td>
                      <Table.Td className="quiet">{pid === null ? 'elsewhere' : `process ${pid}`}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            )}
            {[
              { name: 'model', mind },
              ...Object.entries(connections).map(([name, mind]) => ({ name, mind })),
            ].map(({ name, mind }) => (
              <Text key={name} size="sm">
                {name}:{' '}
                {mind === null ? (
                  <span className="quiet">none is connected; scripted beings and people need none</span>
                ) : (
                  <Inert text={`${mind.model} at ${mind.baseUrl}`} />
                )}
              </Text>
            ))}
            {models === null || models.calls === 0 ? null : (
              <Text size="sm" className="quiet">
                {models.calls} calls since the start, {models.failures} failed, {models.lost} lost,{' '}
                {models.promptTokens} tokens in, {models.completionTokens} out
              </Text>
            )}
            {slowestBeat === null ? null : (
              <Text size="sm" className="quiet">
                slowest: {slowestBeat.name}, {duration(slowestBeat.meanSeconds)} on average, 95 % within{' '}
                {duration(slowestBeat.p95Seconds)}
              </Text>
            )}
          </Part>
          <Part title="Checks">
            {checks.map(({ name, ok, found, mend, optional }) => (
              <div key={name}>
                <Group gap="xs" wrap="nowrap" align="flex-start">
                  <Badge variant="light" color={ok ? 'leaf' : optional ? 'orange' : 'red'} tt="none" miw={76}>
                    {ok ? 'good' : optional ? 'warning' : 'wrong'}
                  </Badge>
                  <Text size="sm">
                    <b>{name}</b> <Inert text={found} />
                  </Text>
                </Group>
                {mend === null ? null : (
                  <Text size="sm" pl={88} className="code">
                    <Inert text={mend} />
                  </Text>
                )}
              </div>
            ))}
            <Group>
              <Button
                size="xs"
                variant="default"
                loading={machine.isFetching}
                onClick={() => void machine.refetch()}
              >
                Look again
              </Button>
            </Group>
          </Part>
        </div>
      )}
    </Answer>
  )
}

function Reality({ wakes, late, inbox, parked, lastHour, standard, budgets }: HealthFound) {
  const failures = lastHour.counts.filter(({ kind }) => kind === 'failure')
  const ended = lastHour.counts.reduce((sum, { count }) => sum + count, 0)
  return (
    <>
      <div className="halves">
        <Part title="What waits">
          <Text size="sm">
            {wakes.waiting === 0
              ? 'No wake waits for a worker.'
              : `${wakes.waiting} ${wakes.waiting === 1 ? 'wake waits' : 'wakes wait'} for a worker, the oldest for ${duration(wakes.oldestSeconds)}.`}
          </Text>
          {late.map(({ stance, seconds }) => (
            <Text key={stance} size="sm">
              <BeingLink stance={stance} /> <span className="quiet">for {duration(seconds)}</span>
            </Text>
          ))}
          <Text size="sm">
            {inbox.waiting + inbox.notices === 0
              ? 'Nothing waits for people.'
              : `${inbox.waiting} entries and ${inbox.notices} notices wait for people, the oldest for ${duration(inbox.oldestSeconds)}.`}
          </Text>
          {parked === 0 ? null : (
            <Text size="sm">
              {parked === 1 ? '1 being is' : `${parked} beings are`} parked by a budget: the inbox says whose,
              and approval lets them go on.
            </Text>
          )}
        </Part>
        <Part title="Failures of the last hour">
          <Text size="sm" className="quiet">
            {lastHour.isAll ? ended : `the last ${ended}`} moments ended.
          </Text>
          {failures.length === 0 ? (
            <Text size="sm">None failed.</Text>
          ) : (
            <Table verticalSpacing={4}>
              <Table.Tbody>
                {failures.map(({ reason, count }) => (
                  <Table.Tr key={reason}>
                    <Table.Td>{reason ?? 'no reason'}</Table.Td>
                    <Table.Td ta="right">{count}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </Part>
      </div>
      <Budgets budgets={budgets} />
      <Text size="sm" className="quiet">
        {Object.entries(standard)
          .map(([whose, limits]) => `Each ${whose} being without a budget of its own: ${limitsIn(limits)}.`)
          .join(' ')}
      </Text>
    </>
  )
}

function limitsIn({ momentsPerMinute, tokens, money, per = 'total' }: Budget['limits']): string {
  const time = per === 'day' ? 'a day' : 'in total'
  const parts = [
    ...(momentsPerMinute === undefined ? [] : [`${momentsPerMinute} moments a minute`]),
    ...(tokens === undefined ? [] : [`${tokens.toLocaleString('en')} tokens ${time}`]),
    ...(money === undefined ? [] : [`${money} of money ${time}`]),
  ]
  return parts.length === 0 ? 'no limit' : parts.join(', ')
}

const Budgets = ({ budgets }: { readonly budgets: readonly Budget[] }) => (
  <Part title="Use against budgets">
    {budgets.length === 0 ? (
      <Text size="sm" className="quiet">
        Nothing was used yet that a budget counts.
      </Text>
    ) : (
      <Table.ScrollContainer minWidth={560}>
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Being</Table.Th>
              <Table.Th>Tokens</Table.Th>
              <Table.Th>Money</Table.Th>
              <Table.Th>Moments in this minute</Table.Th>
              <Table.Th>Births</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {budgets.map(({ stance, standard, limits, used, held }) => (
              <Table.Tr key={stance}>
                <Table.Td>
                  {stance === null ? null : <BeingLink stance={stance} />}
                  {standard ? (
                    <Text size="xs" className="quiet">
                      standard
                    </Text>
                  ) : null}
                </Table.Td>
                <Use
                  what="tokens"
                  used={used.tokens}
                  held={held.tokens}
                  max={limits.tokens}
                  per={limits.per}
                />
                <Use what="money" used={used.money} held={held.money} max={limits.money} per={limits.per} />
                <Use what="moments" used={used.moments} max={limits.momentsPerMinute} />
                <Use what="births" used={used.births} max={limits.births} />
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    )}
  </Part>
)

interface UseProps {
  readonly what: string
  readonly used: number
  readonly held?: number
  readonly max: number | undefined
  readonly per?: string | undefined
}

const NEARLY = 0.8

/** How much was used of a limit. */
function Use({ what, used, held = 0, max, per }: UseProps) {
  const share = max === undefined || max === 0 ? 0 : used / max
  return (
    <Table.Td>
      <Text size="sm">
        {shown(used)}
        {max === undefined ? null : <span className="quiet"> of {shown(max)}</span>}
        {per === undefined || max === undefined ? null : (
          <span className="quiet"> {per === 'day' ? 'a day' : 'in total'}</span>
        )}
      </Text>
      {held === 0 ? null : (
        <Text size="xs" className="quiet">
          {shown(held)} reserved
        </Text>
      )}
      {max === undefined ? null : (
        <Progress
          size="sm"
          value={Math.min(100, 100 * share)}
          color={share >= 1 ? 'red' : share >= NEARLY ? 'orange' : 'leaf'}
          aria-label={`${what} used`}
        />
      )}
    </Table.Td>
  )
}

const shown = (amount: number): string => amount.toLocaleString('en', { maximumFractionDigits: 4 })
