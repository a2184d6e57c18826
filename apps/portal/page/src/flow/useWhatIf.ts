import type { InferResponseType } from 'hono/client'
import { useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'

/** Moments that one request compares. The server takes no more at once. */
export const STEP = 25
/** Moments that one press of the button compares. */
const ROUND = 200

type WhatIfAnswer = InferResponseType<(typeof api.beings)[':name']['what-if']['$post']>
export type WhatIfDifference = WhatIfAnswer['differences'][number]
export type MarkedMoment = WhatIfAnswer['judged'][number]

/** Judges a few past moments by a flow. */
export async function judgeMoments(
  name: string,
  { flow, since, until }: { readonly flow: unknown; readonly since: number; readonly until: number },
  signal: AbortSignal,
): Promise<WhatIfAnswer> {
  const json = { flow: flow as object, since, until }
  const answered = await api.beings[':name']['what-if'].$post({ param: { name }, json }, { init: { signal } })
  return answered.json()
}

interface WhatIfResult {
  /** the draft, as JSON */
  readonly of: string
  readonly found: readonly WhatIfDifference[]
  /** all that were compared, as the draft judges them */
  readonly judged: readonly MarkedMoment[]
  /** the first moment that was compared; the next round goes on before it */
  readonly from: number
  readonly isRunning: boolean
  readonly error: string | null
}

/**
 * Lives past moments of a being again under another flow, newest first, a few at a time.
 * @param last number of its last moment
 */
export function useWhatIf(name: string, last: number) {
  const [compared, setCompared] = useState<WhatIfResult | null>(null)
  const stopping = useRef<AbortController | null>(null)
  const stop = () => stopping.current?.abort()
  useEffect(() => stop, [])
  /** @param before goes on with it; null begins anew */
  const run = async (text: string, before: WhatIfResult | null) => {
    stop()
    stopping.current = new AbortController()
    const { signal } = stopping.current
    let now: WhatIfResult = before ?? {
      of: text,
      found: [],
      judged: [],
      from: last + 1,
      isRunning: true,
      error: null,
    }
    const show = (next: Partial<WhatIfResult>) => {
      now = { ...now, ...next }
      setCompared(now)
    }
    show({ isRunning: true, error: null })
    const lowest = Math.max(1, now.from - ROUND)
    try {
      while (now.from > lowest && !signal.aborted) {
        const until = now.from - 1
        const since = Math.max(lowest, until - STEP + 1)
        const { differences, judged } = await judgeMoments(
          name,
          { flow: JSON.parse(now.of), since, until },
          signal,
        )
        show({
          found: [...now.found, ...differences.toReversed()],
          judged: [...now.judged, ...judged],
          from: since,
        })
      }
    } catch (error) {
      if (!signal.aborted) show({ error: (error as Error).message })
    }
    show({ isRunning: false })
  }
  return { compared, run, stop }
}
