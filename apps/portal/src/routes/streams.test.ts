import { describe, expect, it } from 'vitest'
import { Streams } from './streams.ts'

/** Opens as many streams as it gets. */
function openMany(streams: Streams, sessions: readonly { session: string; person: string }[]) {
  const open: { close(): void }[] = []
  let refused = 0
  for (const whose of sessions)
    for (let i = 0; i < 8; i++)
      try {
        open.push(streams.open(whose))
      } catch {
        refused++
      }
  return { open, refused }
}

describe('live streams', () => {
  const numbers = Array.from({ length: 26 }, (_, i) => i)

  it('of one person leave room for others, however many sessions it has', () => {
    const streams = new Streams()
    const { open, refused } = openMany(
      streams,
      numbers.map((i) => ({ session: `s${i}`, person: 'mallory' })),
    )
    expect([open.length, refused]).toEqual([16, 192])
    streams.open({ session: 'other', person: 'ann' })
    for (const stream of open) {
      stream.close()
      stream.close()
    }
    streams.open({ session: 's0', person: 'mallory' })
  })

  it('have a bound for all, which as many sessions of different persons meet', () => {
    const streams = new Streams()
    expect(
      openMany(
        streams,
        numbers.map((i) => ({ session: `s${i}`, person: `p${i}` })),
      ).open,
    ).toHaveLength(200)
    expect(() => streams.open({ session: 'other', person: 'ann' })).toThrow('too many live pages')
  })
})
