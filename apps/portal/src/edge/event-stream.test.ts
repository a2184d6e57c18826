import { Hono } from 'hono'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Env } from '../portal.ts'
import { eventData, streamEvents } from './event-stream.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The hastiest proxies end a stream on which nothing came for this long. */
const SILENCE_MS = 15_000

it('a stream is never silent for more than 15 s, until its answer', async () => {
  const kept: string[] = []
  let answer = (): void => expect.unreachable()
  const app = new Hono<Env>()
  app.get('/', (c) => {
    c.set('turn', { keep: () => () => kept.push('ended') } as unknown as Env['Variables']['turn'])
    return streamEvents(c, async (send) => {
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      await send({ event: 'answer', data: { words: 'late' } })
    })
  })
  const response = await app.request('/')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  for (let silence = 0; silence < 20; silence++) {
    await vi.advanceTimersByTimeAsync(SILENCE_MS - 1)
    expect((await reader.read()).value).toMatch(/^: waits\n\n/)
  }
  answer()
  let rest = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value
  expect(rest).toContain('event: answer\ndata: {"words":"late"}\n\n')
  expect(kept).toEqual(['ended'])
  expect(vi.getTimerCount()).toBe(0)
})

it('characters that some readers take for the end of a line are written as escapes', () => {
  expect(eventData({ words: 'a\u2028b\u0085c' })).toBe('{"words":"a\\u2028b\\u0085c"}')
})
