import { Alert, Badge, Group, Progress, Stack, Text } from '@mantine/core'
import { Inert, MomentLink, Quiet, SmallButton, Time } from '../parts/index.ts'
import { type Different, useTrial } from './useTrial.ts'

interface Props {
  readonly name: string
  readonly flow: unknown
  /** number of the last finished moment */
  readonly last: number
  readonly isBroken: boolean
}

/** Which past moments would have been lived otherwise, under the draft: newest first, a few at a time. */
export function WhatIf({ name, flow, last, isBroken }: Props) {
  const { trial, run, stop } = useTrial(name, last)
  const text = JSON.stringify(flow)
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
            <Quiet size="xs">
              Past moments that would have been lived otherwise. No model is asked, and nothing is written.
            </Quiet>
          </div>
          {trial?.isRunning ? (
            <SmallButton onClick={stop}>Stop</SmallButton>
          ) : (
            <SmallButton disabled={isBroken || last === 0} onClick={() => void run(text, null)}>
              {last === 0 ? 'It has no moments yet' : 'Try it on past moments'}
            </SmallButton>
          )}
        </Group>
        {trial === null ? null : (
          <>
            {trial.isRunning ? (
              <Progress value={(100 * tried) / Math.max(1, last)} aria-label="moments tried" size="sm" />
            ) : null}
            {isOld ? <Quiet size="xs">The draft has changed since: try it again.</Quiet> : null}
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
                <SmallButton onClick={() => void run(text, trial)}>Earlier moments</SmallButton>
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
          <MomentLink being={name} n={n}>
            moment {n}
          </MomentLink>{' '}
          <Time iso={openedAt} />
        </Text>
        <Text size="sm">
          <Inert text={wornText(was)} /> →{' '}
          <b>
            <Inert text={wornText(would)} />
          </b>
        </Text>
        {differs.map((part) => (
          <Badge key={part} size="sm" color="gray">
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

const wornText = ({ primary, stacked, skip }: Different['was']): string =>
  skip === undefined ? [primary ?? 'no role', ...stacked].join(' + ') : `no moment (${skip})`
