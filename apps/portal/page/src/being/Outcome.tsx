import { Badge } from '@mantine/core'
import { endedAs, endedBy } from '../words/end-words.ts'

interface OutcomeProps {
  readonly outcome: string
  readonly reason?: string | undefined
}

/** How a moment ended. */
export const OutcomeBadge = ({ outcome, reason }: OutcomeProps) => (
  <Badge color={endedAs(outcome).color}>{endedBy(outcome, reason)}</Badge>
)
