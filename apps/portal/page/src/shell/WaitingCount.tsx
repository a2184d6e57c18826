import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { countsOf } from '../inbox/groups.ts'
import { inboxCountsQuery } from '../inbox/queries.ts'
import { plural } from '../parts/index.ts'

/** How much waits for a decision of the person. */
export function WaitingCount() {
  const { data } = useQuery(inboxCountsQuery)
  const count = data === undefined ? 0 : countsOf(data).needs
  if (count === 0) return null
  return (
    <Badge
      variant="filled"
      size="sm"
      circle={count < 10}
      aria-label={plural(count, 'entry needs you', 'entries need you')}
    >
      {count}
    </Badge>
  )
}
