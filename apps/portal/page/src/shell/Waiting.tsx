import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { inboxQuery } from '../api/queries.ts'

/** How much waits in the inbox. */
export function Waiting() {
  const { data } = useQuery(inboxQuery)
  if (data === undefined || data.length === 0) return null
  return (
    <Badge variant="filled" size="sm" circle={data.length < 10} aria-label={`${data.length} entries`}>
      {data.length}
    </Badge>
  )
}
