import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { tellProgress } from './progress.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const told: Record<string, unknown>[] = []
const notify = async ({ params }: { params: Record<string, unknown> }) => void told.push(params)

it('a client that asked for progress hears each 5 s that its call is at work, until its end', () => {
  const end = tellProgress({ _meta: { progressToken: 'p' }, notify }, () => expect.unreachable())
  vi.advanceTimersByTime(14_000)
  expect(told.splice(0)).toMatchObject([
    { progressToken: 'p', progress: 1 },
    { progressToken: 'p', progress: 2 },
  ])
  end()
  vi.advanceTimersByTime(60_000)
  expect(told).toEqual([])
})

it('another client hears nothing', () => {
  tellProgress({ notify }, () => expect.unreachable())
  vi.advanceTimersByTime(60_000)
  expect(told).toEqual([])
})
