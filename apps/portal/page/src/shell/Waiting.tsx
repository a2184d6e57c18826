import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { inboxQuery } from '../api/queries.ts'

/** How much waits in the inbox. */
export function Waiting() {
  const { data } = useQuery(inboxQuery)
  const count = data?.items.length ?? 0
  if (count === 0) return null
  const shown = data?.next == null ? `${count}` : `${count}+`
  return (
    <Badge variant="filled" size="sm" circle={count < 10} aria-label={`${shown} entries`}>
      {shown}
    </Badge>
  )
}
