import { Badge } from '@mantine/core'

const COLORS: Readonly<Record<string, string>> = { act: 'leaf', see: 'blue', failure: 'red', skipped: 'gray' }

interface Props {
  readonly outcome: string
  readonly reason?: string | undefined
}

export const OutcomeBadge = ({ outcome, reason }: Props) => (
  <Badge color={COLORS[outcome] ?? 'gray'} title={reason}>
    {reason ?? outcome}
  </Badge>
)
