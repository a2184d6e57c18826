import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { api } from '../api/client.ts'
import { randomId } from '../api/random-id.ts'
import { Track } from './track.ts'

const FACTS_PAGE = 2000
const TELL_MS = 1000

/** Loads the record into a track, one page after another. What is under way goes on where it was stopped. */
class TrackLoader {
  readonly track = new Track()
  #running: Promise<number> | null = null
  #isAsked = false
  #stopping = new AbortController()

  /**
   * @param onPage called after the first page, about once a second, and at the end: each call draws
   *   everything anew.
   * @returns the last entry, once all is loaded
   */
  run(onPage: () => void): Promise<number> {
    this.#isAsked = true
    this.#running ??= this.#load(onPage).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  stop(): void {
    this.#stopping.abort()
    this.#stopping = new AbortController()
  }

  async #load(onPage: () => void): Promise<number> {
    const { signal } = this.#stopping
    let told = 0
    while (this.#isAsked) {
      this.#isAsked = false // entries that come from now on are asked for once more
      for (let isMore = true; isMore; ) {
        const query = { after: String(this.track.upTo), limit: String(FACTS_PAGE) }
        const page = await (await api.record.$get({ query }, { init: { signal } })).json()
        this.track.take(page)
        isMore = page.isMore
        if (isMore && performance.now() - told < TELL_MS) continue
        told = performance.now()
        onPage()
      }
    }
    return this.track.upTo
  }
}

/** The record up to now, which grows as things happen. */
export function useTrack() {
  const [loading] = useState(() => new TrackLoader())
  const [id] = useState(() => randomId())
  const [upTo, setUpTo] = useState(0)
  const [isStopped, setStopped] = useState(false)
  const query = useQuery({
    queryKey: ['record', id],
    queryFn: () => loading.run(() => setUpTo(loading.track.upTo)),
    enabled: !isStopped,
    gcTime: 0,
  })
  const stop = useCallback(() => {
    setStopped(true)
    loading.stop()
  }, [loading])
  const goOn = useCallback(() => setStopped(false), [])
  return { track: loading.track, upTo, query, isStopped, stop, goOn }
}
