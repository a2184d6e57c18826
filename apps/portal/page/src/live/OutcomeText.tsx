import { Text } from '@mantine/core'
import { Trans, t } from '../language/index.ts'
import { Inert } from '../parts/index.ts'
import { endedBy } from '../words/end-words.ts'

interface OutcomeTextProps {
  readonly being: string
  readonly outcome: string
  readonly reason: string | null
  readonly role: string | null
  /** how many ended so after each other */
  readonly count: number
}

/** How a moment ended, as a sentence. */
export const OutcomeText = ({ being, outcome, reason, role, count }: OutcomeTextProps) => (
  <Text size="sm" component="span">
    <b>
      <Inert text={being} />
    </b>{' '}
    {role === null ? null : <Trans text="as <role/>" parts={{ role: <Inert text={role} /> }} />}{' '}
    <Inert text={endedBy(outcome, reason)} />
    {count === 1 ? null : <span className="quiet">{t(', {{count}} times', { count })}</span>}
  </Text>
)
