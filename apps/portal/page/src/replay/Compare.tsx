import { Badge, Button, Group, Select, Stack, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { Compared } from '../../../src/machine.ts'
import { ask, Refusal } from '../api/client.ts'
import { EventReader } from '../api/events.ts'
import { BeingLink } from '../shell/links.tsx'
import { Trouble } from '../shell/states.tsx'
import { Content, Inert } from '../text/Inert.tsx'

type Found = Compared & { readonly more: number }
type State =
  | { readonly is: 'idle' }
  | { readonly is: 'running'; readonly progress: string }
  | { readonly is: 'done'; readonly found: Found }
  | { readonly is: 'failed'; readonly error: Error }

const ALL = 'all beings'

/** Runs moments again, from the chain and from Temporal, and says whether the record has the same: as `treeos replay`. */
export function Compare({ me, beings }: { readonly me: string | null; readonly beings: readonly string[] }) {
  const [whose, setWhose] = useState<string | null>(null)
  const [state, setState] = useState<State>({ is: 'idle' })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const chosen = whose ?? me?.slice(1) ?? beings[0] ?? null
  const begin = () => {
    const stopping = new AbortController()
    running.current = stopping
    setState({ is: 'running', progress: 'reading the record' })
    compare(chosen === ALL ? null : chosen, stopping.signal, (progress) =>
      setState({ is: 'running', progress }),
    )
      .then((found) => setState({ is: 'done', found }))
      .catch((error: Error) => setState(stopping.signal.aborted ? { is: 'idle' } : { is: 'failed', error }))
  }
  return (
    <section className="card" aria-label="Compare with the record">
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <Select
            flex={1}
            label="Run the moments of … again, and compare"
            searchable
            limit={100}
            allowDeselect={false}
            data={[...new Set([...(chosen === null ? [] : [chosen]), ...beings, ALL])]}
            value={chosen}
            onChange={setWhose}
          />
          {state.is === 'running' ? (
            <Button variant="default" onClick={() => running.current?.abort()}>
              Stop
            </Button>
          ) : (
            <Button variant="default" onClick={begin} disabled={chosen === null}>
              Compare
            </Button>
          )}
        </Group>
        {state.is === 'running' ? (
          <Text size="sm" className="quiet" role="status">
            <Inert text={state.progress} />…
          </Text>
        ) : null}
        {state.is === 'failed' ? <Trouble error={state.error} /> : null}
        {state.is === 'done' ? <Result {...state.found} /> : null}
      </Stack>
    </section>
  )
}

function Result({ beings, moments, identical, mismatches, more, olderPrompts = 0 }: Found) {
  const all = `${moments} ${moments === 1 ? 'moment' : 'moments'} of ${beings} ${beings === 1 ? 'being' : 'beings'}`
  return (
    <Stack gap="xs" role="status">
      <Group gap="xs">
        <Badge color={identical ? 'leaf' : 'red'} variant="light" tt="none">
          {identical ? 'identical' : 'differs'}
        </Badge>
        <Text size="sm">
          {identical
            ? `${all}: the chain, Temporal and the record agree.`
            : `${all}: ${mismatches.length + more} ${mismatches.length + more === 1 ? 'value differs' : 'values differ'}.`}
        </Text>
      </Group>
      {olderPrompts === 0 ? null : (
        <Text size="xs" className="quiet">
          An older version wrote {olderPrompts} of the prompts, so their text was not compared.
        </Text>
      )}
      {identical ? null : (
        <Table.ScrollContainer minWidth={480}>
          <Table verticalSpacing={4} className="facts">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Moment</Table.Th>
                <Table.Th>Value</Table.Th>
                <Table.Th>In the record</Table.Th>
                <Table.Th>From the chain</Table.Th>
                <Table.Th>From Temporal</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {mismatches.map(({ being, n, field, recorded, chain, temporal }, i) => (
                <Table.Tr key={i}>
                  <Table.Td>
                    <BeingLink stance={`@${being}`} />{' '}
                    {n === 0 ? null : (
                      <Link to="/beings/$name" params={{ name: being }} search={{ n }}>
                        {n}
                      </Link>
                    )}
                  </Table.Td>
                  <Table.Td>{field}</Table.Td>
                  {[recorded, chain, temporal].map((value, column) => (
                    <Table.Td key={column} className="code">
                      {value === null ? null : <Content value={value} />}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {more === 0 ? null : (
        <Text size="xs" className="quiet">
          {more} more are not shown.
        </Text>
      )}
    </Stack>
  )
}

async function compare(
  being: string | null,
  signal: AbortSignal,
  onProgress: (line: string) => void,
): Promise<Found> {
  const query = being === null ? '' : `?being=${encodeURIComponent(being)}`
  const { body } = await ask(`/api/compared${query}`, { signal })
  const events = new EventReader()
  const chunks = body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let read = await chunks?.read(); read?.done === false; read = await chunks?.read())
    for (const { event, data } of events.read(read.value)) {
      const said = JSON.parse(data)
      if (event === 'progress') onProgress(said)
      if (event === 'compared') return said
      if (event === 'refused') throw new Refusal(said.code, said.message)
    }
  throw new Refusal('SERVICE_UNAVAILABLE', 'the comparison ended before it said what it found: try again')
}
