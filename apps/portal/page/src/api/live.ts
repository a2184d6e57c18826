import type { QueryClient } from '@tanstack/react-query'
import { sessionKey } from './session.ts'
import { SharedStream } from './shared-stream.ts'
import { tabHandle } from './tab.ts'
import { forgetCalls, hearWords, onWanted, type Words, wantedBeings } from './words.ts'

/** What happens within this time makes the page ask once. */
const TOGETHER_MS = 250

/** Which queries a happening makes stale: they begin with these words. */
const STALE: Readonly<Record<string, readonly string[]>> = {
  begin: [],
  moment: ['moments', 'being', 'space', 'map', 'record', 'health', 'inbox', 'threads', 'thread'],
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
 * @param onSign called at each sign of life, every few seconds
 */
export function followLive(
  queries: QueryClient,
  onState: (isLive: boolean) => void,
  onSign: () => void = () => undefined,
): () => void {
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
  const stream = new SharedStream(`treeos-live ${sessionKey()} ${tabHandle() ?? ''}`, {
    onSign,
    onLost: () => onState(false),
    onEvent({ event, data }) {
      if (event === 'words') return hearWords(JSON.parse(data) as Words)
      if (event === 'begin') {
        onState(true)
        if (isNews) take([STALE, STALE_BY_KIND].flatMap((words) => Object.values(words).flat())) // asked for before the stream began
        isNews = true
      }
      if (event === 'moment') {
        const { being, n } = JSON.parse(data) as { being: string; n: number }
        forgetCalls(being, n)
      }
      take(STALE[event] ?? [])
      if (event === 'fact') take(STALE_BY_KIND[kindOf(data)] ?? [])
    },
  })
  const endWanted = onWanted(() => stream.setBeings(wantedBeings()))
  stream.setBeings(wantedBeings())
  return () => {
    endWanted()
    stream.stop()
    clearTimeout(timer)
  }
}
