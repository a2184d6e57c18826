import { Group, Loader, Text } from '@mantine/core'
import type { FoundBy } from '../api/deed.ts'
import type { beingQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'

type States = FoundBy<ReturnType<typeof beingQuery>>['states']

const WAITS: Readonly<Record<States[number], string>> = {
  ended: t('has ended: it answers nothing any more.'),
  driven: t('is driven by a person now, who may answer.'),
  paused: t('is paused: it answers once one of its makers resumes it.'),
  parked: t('is parked by a budget: it goes on once whoever set the budget raises it, or lets it try again.'),
  asks: t('waits for the yes of a person to something that it wants to do.'),
  working: t('is at work.'),
  failed: t('has it in its inbox.'),
  asleep: t('has it in its inbox.'),
}

/** What an answer waits for. */
export const PendingAnswer = ({ whom, states }: { readonly whom: string; readonly states: States }) => {
  const [state] = states
  return (
    <Group gap="xs" role="status">
      {state === 'working' || state === undefined ? <Loader size="xs" type="dots" aria-hidden /> : null}
      <Text size="sm" className="quiet">
        {whom} {state === undefined ? t('has it in its inbox.') : WAITS[state]}
      </Text>
    </Group>
  )
}
