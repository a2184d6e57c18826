import { Badge } from '@mantine/core'

const COLORS: Readonly<Record<string, string>> = { act: 'leaf', see: 'blue', failure: 'red', skipped: 'gray' }

export const OutcomeBadge = ({
  outcome,
  reason,
}: {
  readonly outcome: string
  readonly reason?: string | undefined
}) => (
  <Badge variant="light" color={COLORS[outcome] ?? 'gray'} tt="none" title={reason}>
    {reason ?? outcome}
  </Badge>
)
