import { Group, Loader, Text } from '@mantine/core'
import type { FoundBy } from '../api/deed.ts'
import type { beingQuery } from '../api/queries.ts'

type States = FoundBy<ReturnType<typeof beingQuery>>['states']

const WAITS: Readonly<Record<States[number], string>> = {
  ended: 'has ended: it answers nothing any more.',
  driven: 'is driven by a person now, who may answer.',
  paused: 'is paused: it answers once one of its makers resumes it.',
  parked: 'is parked by a budget: it goes on once whoever set the budget raises it, or lets it try again.',
  asks: 'waits for the yes of a person to something that it wants to do.',
  working: 'is at work.',
  failed: 'has it in its inbox.',
  asleep: 'has it in its inbox.',
}

/** What an answer waits for. */
export const PendingAnswer = ({ whom, states }: { readonly whom: string; readonly states: States }) => {
  const [state] = states
  return (
    <Group gap="xs" role="status">
      {state === 'working' || state === undefined ? <Loader size="xs" type="dots" aria-hidden /> : null}
      <Text size="sm" className="quiet">
        {whom} {state === undefined ? 'has it in its inbox.' : WAITS[state]}
      </Text>
    </Group>
  )
}
