import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { sessionQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { CLOCK_SECONDS } from '../text/clock.ts'

/** A stream is lost for a moment now and then. Only a longer silence is told of. */
const PATIENCE_MS = 2_000

/**
 * Says that the server is away, and until when the page is right. Once it answers again, what failed
 * meanwhile is asked for anew.
 */
export function ServerAway({ isLive }: { readonly isLive: boolean }) {
  const queries = useQueryClient()
  const lostAt = useRef<number | null>(null)
  const [since, setSince] = useState<number | null>(null)
  // What was found before: while the server is away, nothing more is.
  const runs = queries.getQueryData(sessionQuery.queryKey)?.uses.all === true
  useEffect(() => {
    if (isLive) {
      if (lostAt.current !== null)
        void queries.refetchQueries({ predicate: ({ state }) => state.status === 'error' })
      lostAt.current = null
      setSince(null)
      return
    }
    lostAt.current = Date.now()
    const timer = setTimeout(() => setSince(lostAt.current), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [isLive, queries])
  if (since === null) return null
  return (
    <div className="away" role="status">
      <Text size="sm">
        {t('The portal does not answer. This page shows what was so at {{time}}, and goes on by itself.', {
          time: CLOCK_SECONDS.format(since),
        })}
        {runs ? ` ${t('Whoever runs it has to start it again.')}` : ''}
      </Text>
    </div>
  )
}
