import { z } from '@hono/zod-openapi'
import { authorizeAllPasts, authorizePast, refusalOf } from '@treeos/client'
import { TreeosError } from '@treeos/core'
import { streamEvents } from '../edge/event-stream.ts'
import { toldByApi } from '../edge/remedies.ts'
import { Turns } from '../edge/turns.ts'
import type { ReplayComparison } from '../machine.ts'
import type { Portal } from '../portal.ts'
import { beingName, newApi, operation } from './operation.ts'

const DISAGREEMENTS_MAX = 200

const replaying = operation({
  method: 'get',
  path: '/replay',
  'x-caller': 'signed-in',
  'x-work': 'stream',
  operationId: 'replay',
  summary: 'Every moment again, from the record and from Temporal, compared with what is recorded',
  description:
    'Server-sent events: `progress`, and at the end `compared` with the first 200 differences, or `refused`. ' +
    'Of a being whose past I may look into; of all beings only where I may look into every past. One runs at a time.',
  tags: ['beings'],
  request: {
    query: z.object({ being: beingName.optional().openapi({ description: 'only of this being' }) }),
  },
  responses: { 200: { description: 'events', content: { 'text/event-stream': { schema: z.string() } } } },
})

/** Whether another run of the record gives the same. */
export const replayRoutes = ({ machine, onError }: Pick<Portal, 'machine' | 'onError'>) => {
  // One at a time: each keeps the reels that it reads in memory. Other persons wait for their turn.
  const comparing = new Turns(
    { atOnce: 1, atOncePerGroup: 1, waiting: 8, waitingPerGroup: 1 },
    'comparisons of yours are under way: try again when one has ended',
  )
  return newApi().openapi(replaying, async (c) => {
    const { at, being: me, person, session } = c.get('visit')
    const { being } = c.req.valid('query')
    if (being === undefined) await authorizeAllPasts(at, me)
    else await authorizePast(at, me, being)
    const end = await comparing.take({ group: person, key: session })
    if (c.req.raw.signal.aborted) {
      end()
      throw new TreeosError('TIMEOUT', 'nobody waits for the comparison any more')
    }
    const leaving = new AbortController()
    const signal = AbortSignal.any([c.req.raw.signal, leaving.signal])
    return streamEvents(c, async (send) => {
      try {
        const compared = await machine.replay({
          beings: being === undefined ? null : [being],
          signal,
          onProgress: (line) =>
            void send({ event: 'progress', data: JSON.stringify(line) }).catch(() => leaving.abort()),
        })
        await send({ event: 'compared', data: shownOf(compared) })
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof TreeosError)) onError('replay', error)
        await send({ event: 'refused', data: toldByApi(refusalOf(error)).toJSON() })
      } finally {
        end()
      }
    })
  })
}

/** The first disagreements; the later ones of a being often follow from them. */
const shownOf = (compared: ReplayComparison) => ({
  ...compared,
  mismatches: compared.mismatches.slice(0, DISAGREEMENTS_MAX),
  more: Math.max(0, compared.mismatches.length - DISAGREEMENTS_MAX),
})
