import { authorizeAllPasts, authorizePast, refusalOf } from '@treeos/client'
import { requireBeingName, TreeosError } from '@treeos/core'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { z } from 'zod'
import { toldByApi } from '../edge/remedies.ts'
import { Turns } from '../edge/turns.ts'
import type { ReplayComparison } from '../machine.ts'
import type { Env, Portal } from '../portal.ts'
import { input } from './input.ts'

const DISAGREEMENTS_MAX = 200

/** Whether another run of the record gives the same. */
export const recordRoutes = ({ machine, onError }: Portal) => {
  // One at a time: each keeps the reels that it reads in memory. Other persons wait for their turn.
  const comparing = new Turns(
    { atOnce: 1, atOncePerGroup: 1, waiting: 8, waitingPerGroup: 1 },
    'comparisons of yours are under way: try again when one has ended',
  )
  return new Hono<Env>().get(
    '/compared',
    input('query', z.object({ being: z.string().min(1).max(80).optional() })),
    async (c) => {
      const { at, being: me } = c.get('visit')
      const { being: name } = c.req.valid('query')
      const beings = name === undefined ? null : [requireBeingName(name)]
      if (beings === null) await authorizeAllPasts(at, me)
      for (const being of beings ?? []) await authorizePast(at, me, being)
      const { person, session } = c.get('visit')
      const end = await comparing.take({ group: person, key: session })
      if (c.req.raw.signal.aborted) {
        end()
        throw new TreeosError('TIMEOUT', 'nobody waits for the comparison any more')
      }
      const stopping = new AbortController()
      return streamSSE(c, async (stream) => {
        stream.onAbort(() => stopping.abort())
        const send = (event: string, data: unknown) => stream.writeSSE({ event, data: JSON.stringify(data) })
        try {
          const compared = await machine.replay({
            beings,
            signal: stopping.signal,
            onProgress: (line) => void send('progress', line),
          })
          await send('compared', shownOf(compared))
        } catch (error) {
          if (stopping.signal.aborted) return
          if (!(error instanceof TreeosError)) onError('compared', error)
          await send('refused', toldByApi(refusalOf(error)).toJSON())
        } finally {
          end()
        }
      })
    },
  )
}

/** The first disagreements; the later ones of a being often follow from them. */
const shownOf = (compared: ReplayComparison) => ({
  ...compared,
  mismatches: compared.mismatches.slice(0, DISAGREEMENTS_MAX),
  more: Math.max(0, compared.mismatches.length - DISAGREEMENTS_MAX),
})
