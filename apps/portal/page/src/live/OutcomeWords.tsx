import { Text } from '@mantine/core'
import { Inert } from '../parts/index.ts'

const WORDS: Readonly<Record<string, string>> = {
  act: 'acted',
  see: 'looked, and did nothing',
  failure: 'failed',
  skipped: 'was skipped',
  waiting: 'waits for a yes',
}

interface Props {
  readonly being: string
  readonly outcome: string
  readonly reason: string | null
  readonly role: string | null
  /** how many ended so after each other */
  readonly count: number
}

/** How a moment ended, as a sentence. */
export const OutcomeWords = ({ being, outcome, reason, role, count }: Props) => (
  <Text size="sm" component="span">
    <b>
      <Inert text={being} />
    </b>{' '}
    {role === null ? '' : 'as '}
    {role === null ? null : <Inert text={role} />} {WORDS[outcome] ?? outcome}
    {reason === null ? '' : ': '}
    {reason === null ? null : <Inert text={reason} />}
    {count === 1 ? null : <span className="quiet">, {count} times</span>}
  </Text>
)
