import type { QueryClient } from '@tanstack/react-query'
import { ask, Refusal } from './client.ts'
import { EventReader } from './events.ts'

const RETRY_MS_MIN = 500
const RETRY_MS_MAX = 15_000
/** What happens within this time makes the page ask once. */
const TOGETHER_MS = 250

/** Which queries a happening makes stale: they begin with these words. */
const STALE: Readonly<Record<string, readonly string[]>> = {
  begin: [],
  moment: ['moments', 'space', 'map', 'record', 'health', 'inbox', 'threads', 'thread'],
  fact: ['world', 'space', 'map', 'record', 'being', 'session'],
}

/** The same for facts of one kind, of which there are few, so that large lists are not asked for at every fact. */
const STALE_BY_KIND: Readonly<Record<string, readonly string[]>> = {
  'role:set': ['roles', 'role'],
  'role:deleted': ['roles', 'role'],
  'being:born': ['roles'],
  'being:flow': ['flow', 'role'],
  'signal:published': ['signals'],
}
/** A flow is one quality of many, so it counts as a kind of its own. */
function kindOf(data: string): string {
  const { kind = '', payload } = JSON.parse(data) as { kind?: string; payload?: { path?: unknown } | null }
  if (kind !== 'quality:set') return kind
  return Array.isArray(payload?.path) && payload.path[0] === 'roleFlow' ? 'being:flow' : ''
}

/**
 * Follows what happens until it is stopped, and asks anew for what it changes. A lost connection goes on after the last event
 * that came.
 * @param onState true while it is connected
 * @param onSign called at each sign of life, every few seconds. Browsers slow the timers of hidden tabs, but not this
 */
export function followLive(
  queries: QueryClient,
  onState: (isLive: boolean) => void,
  onSign: () => void = () => undefined,
): () => void {
  const stopping = new AbortController()
  let last: string | null = null
  let isNews = false
  const stale = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const refresh = () => {
    timer = undefined
    for (const word of stale) void queries.invalidateQueries({ queryKey: [word] })
    stale.clear()
  }
  const take = (words: readonly string[]) => {
    for (const word of words) stale.add(word)
    timer ??= setTimeout(refresh, TOGETHER_MS)
  }
  const once = async () => {
    const headers: Record<string, string> = last === null ? {} : { 'last-event-id': last }
    const { body } = await ask('/api/live', { headers, signal: stopping.signal })
    if (body === null) return
    const events = new EventReader()
    const chunks = body.pipeThrough(new TextDecoderStream()).getReader() // Safari cannot iterate a stream
    for (let { done, value } = await chunks.read(); !done; { done, value } = await chunks.read()) {
      onSign()
      for (const { event, id, data } of events.read(value ?? '')) {
        last = id ?? last
        if (event === 'begin') {
          onState(true)
          if (isNews) take([STALE, STALE_BY_KIND].flatMap((words) => Object.values(words).flat())) // asked for before the stream began
          isNews = true
        }
        take(STALE[event] ?? [])
        if (event === 'fact') take(STALE_BY_KIND[kindOf(data)] ?? [])
      }
    }
  }
  const run = async () => {
    for (
      let pauseMs = RETRY_MS_MIN;
      !stopping.signal.aborted;
      pauseMs = Math.min(2 * pauseMs, RETRY_MS_MAX)
    ) {
      const startedAt = performance.now()
      await once().catch((error: unknown) => {
        // The place is unknown here, such as after the data folder was made anew.
        if (error instanceof Refusal && error.code === 'INVALID_INPUT') last = null
        if (error instanceof Refusal && (error.code === 'UNAUTHORIZED' || error.reason === 'lease-over'))
          stopping.abort()
      })
      if (stopping.signal.aborted) return
      onState(false)
      if (performance.now() - startedAt > RETRY_MS_MAX) pauseMs = RETRY_MS_MIN
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  void run()
  return () => {
    stopping.abort()
    clearTimeout(timer)
  }
}
