import { Alert, Badge, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { Time } from '../shell/Time.tsx'
import { Inert } from '../text/Inert.tsx'

/** Moments that one request tries. The server takes no more at once. */
const STEP = 25
/** Moments that one press of the button tries. */
const ROUND = 200

interface Worn {
  readonly primary: string | null
  readonly stacked: readonly string[]
  readonly skip?: string
}
interface Different {
  readonly n: number
  readonly openedAt: string
  readonly differs: readonly string[]
  readonly was: Worn
  readonly would: Worn
  readonly refused: { readonly code: string; readonly message: string } | null
}

interface Trial {
  /** the draft that was tried, as JSON */
  readonly of: string
  readonly found: readonly Different[]
  /** the first moment that was tried; the next round goes on before it */
  readonly from: number
  readonly isRunning: boolean
  readonly error: string | null
}

interface WhatIfProps {
  readonly name: string
  readonly flow: unknown
  /** number of the last finished moment */
  readonly last: number
  readonly isBroken: boolean
}

/** Which past moments would have been lived otherwise, under the draft: newest first, a few at a time. */
export function WhatIf({ name, flow, last, isBroken }: WhatIfProps) {
  const [trial, setTrial] = useState<Trial | null>(null)
  const stopping = useRef<AbortController | null>(null)
  useEffect(() => () => stopping.current?.abort(), [])
  const text = JSON.stringify(flow)
  const run = async (before: Trial | null) => {
    const end = new AbortController()
    stopping.current?.abort()
    stopping.current = end
    let now: Trial = before ?? { of: text, found: [], from: last + 1, isRunning: true, error: null }
    const show = (next: Partial<Trial>) => {
      now = { ...now, ...next }
      setTrial(now)
    }
    show({ isRunning: true, error: null })
    const lowest = Math.max(1, now.from - ROUND)
    try {
      while (now.from > lowest && !end.signal.aborted) {
        const until = now.from - 1
        const since = Math.max(lowest, until - STEP + 1)
        const answered = await api.beings[':name']['what-if'].$post(
          { param: { name }, json: { flow: JSON.parse(now.of) as object, since, until } },
          { init: { signal: end.signal } },
        )
        const { differences } = (await answered.json()) as { differences: readonly Different[] }
        show({ found: [...now.found, ...differences.toReversed()], from: since })
      }
    } catch (error) {
      if (!end.signal.aborted) show({ error: error instanceof Error ? error.message : 'it failed' })
    }
    show({ isRunning: false })
  }
  const tried = trial === null ? 0 : last + 1 - trial.from
  const isOld = trial !== null && trial.of !== text
  return (
    <section className="card" aria-label="What if">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <div>
            <Text size="sm" fw={600}>
              What if
            </Text>
            <Text size="xs" className="quiet">
              Past moments that would have been lived otherwise. No model is asked, and nothing is written.
            </Text>
          </div>
          {trial?.isRunning ? (
            <Button size="xs" variant="default" onClick={() => stopping.current?.abort()}>
              Stop
            </Button>
          ) : (
            <Button
              size="xs"
              variant="default"
              disabled={isBroken || last === 0}
              onClick={() => void run(null)}
            >
              {last === 0 ? 'It has no moments yet' : 'Try it on past moments'}
            </Button>
          )}
        </Group>
        {trial === null ? null : (
          <>
            {trial.isRunning ? (
              <Progress value={(100 * tried) / Math.max(1, last)} aria-label="moments tried" size="sm" />
            ) : null}
            {isOld ? (
              <Text size="xs" className="quiet">
                The draft has changed since: try it again.
              </Text>
            ) : null}
            <Text size="sm" role="status">
              {trial.found.length === 0 ? 'None' : trial.found.length} of the last {tried} moments{' '}
              {trial.found.length === 1 ? 'differs' : 'differ'}.
            </Text>
            {trial.error === null ? null : (
              <Alert color="red" p="xs" role="alert">
                <Inert text={trial.error} />
              </Alert>
            )}
            <Stack gap={0} component="ol" m={0} pl={0} className="versions">
              {trial.found.map((moment) => (
                <MomentLine key={moment.n} name={name} moment={moment} />
              ))}
            </Stack>
            {trial.isRunning || trial.from === 1 || isOld ? null : (
              <div>
                <Button size="xs" variant="default" onClick={() => void run(trial)}>
                  Earlier moments
                </Button>
              </div>
            )}
          </>
        )}
      </Stack>
    </section>
  )
}

function MomentLine({ name, moment }: { readonly name: string; readonly moment: Different }) {
  const { n, openedAt, was, would, differs, refused } = moment
  return (
    <li>
      <Group gap="xs">
        <Text size="sm">
          <Link to="/beings/$name" params={{ name }} search={{ n }}>
            moment {n}
          </Link>{' '}
          <Time iso={openedAt} />
        </Text>
        <Text size="sm">
          <Inert text={wornText(was)} /> →{' '}
          <b>
            <Inert text={wornText(would)} />
          </b>
        </Text>
        {differs.map((part) => (
          <Badge key={part} size="sm" variant="light" color="gray" tt="none">
            {part}
          </Badge>
        ))}
      </Group>
      {refused === null ? null : (
        <Text size="xs" c="red">
          Its act would have been refused: <Inert text={refused.message} />
        </Text>
      )}
    </li>
  )
}

const wornText = ({ primary, stacked, skip }: Worn): string =>
  skip === undefined ? [primary ?? 'no role', ...stacked].join(' + ') : `no moment (${skip})`
