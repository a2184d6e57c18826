import type { QueryClient } from '@tanstack/react-query'
import { Pacer } from './pace.ts'
import { sessionKey } from './session.ts'
import { SharedStream } from './shared-stream.ts'
import {
  type ChangeEvent,
  STALE_BY_ANY,
  type StaleQueries,
  staleBy,
  staleName,
  takesPart,
} from './stale-queries.ts'
import { tabHandle } from './tab.ts'
import { forgetCalls, hearWords, onWanted, type StreamedWords, wantedBeings } from './words.ts'

/** A conversation shows at once; in a busy world each query is asked for anew every other second. */
const PACE = { togetherMs: 250, everyMs: 2_000, burst: 3 }

/**
 * Follows what happens until it is stopped, and asks anew for what it changes. A lost connection goes on
 * after the last event that came.
 * @param onState true while it is connected
 * @param onSign called at each sign of life, every few seconds
 */
export function followLive(
  queries: QueryClient,
  onState: (isLive: boolean) => void,
  onSign: () => void = () => undefined,
): () => void {
  let isNews = false
  const pacer = new Pacer<StaleQueries>(PACE, ({ key, exact = false, of }) => {
    const isMeant = of === undefined ? {} : { predicate: takesPartIn(of) }
    void queries.invalidateQueries({ queryKey: key, exact, ...isMeant })
  })
  const take = (stale: readonly StaleQueries[]) => {
    for (const one of stale) pacer.take(staleName(one), one)
  }
  const stream = new SharedStream(`treeos-live ${sessionKey()} ${tabHandle() ?? ''}`, {
    onSign,
    onLost: () => onState(false),
    onEvent({ event, data }) {
      if (event === 'words') return hearWords(JSON.parse(data) as StreamedWords)
      if (event === 'begin') {
        onState(true)
        if (isNews) take(STALE_BY_ANY) // asked for before the stream began
        isNews = true
        return
      }
      const happened = JSON.parse(data) as ChangeEvent & { readonly n?: number }
      if (event === 'moment') forgetCalls(happened.being ?? '', happened.n ?? 0)
      take(staleBy(event, happened))
    },
  })
  const endWanted = onWanted(() => stream.setBeings(wantedBeings()))
  stream.setBeings(wantedBeings())
  return () => {
    endWanted()
    stream.stop()
    pacer.stop()
  }
}

const takesPartIn =
  (stance: string) =>
  ({ state }: { readonly state: { readonly data: unknown } }): boolean =>
    takesPart(state.data, stance)
