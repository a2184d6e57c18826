import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { countsOf } from '../inbox/groups.ts'
import { inboxCountsQuery } from '../inbox/queries.ts'
import { t } from '../language/index.ts'
import { showInTab } from '../parts/index.ts'

/** How much waits for a decision of the person, here and in the title of the tab. */
export function WaitingCount() {
  const { data } = useQuery(inboxCountsQuery)
  const count = data === undefined ? 0 : countsOf(data).needs
  useEffect(() => {
    showInTab({ waiting: count })
    return () => showInTab({ waiting: 0 })
  }, [count])
  if (count === 0) return null
  return (
    <Badge
      variant="filled"
      size="sm"
      circle={count < 10}
      aria-label={t('{{count}} entries need you', { count })}
    >
      {count}
    </Badge>
  )
}
