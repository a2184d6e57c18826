import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { eventsIn } from './events.ts'

/** A stream on which an event comes after a while. */
const lateEvent = (ms: number): Response =>
  new Response(
    new ReadableStream<Uint8Array>({
      async start(stream) {
        await sleep(ms)
        stream.enqueue(new TextEncoder().encode('event: fact\ndata: {}\n\n'))
        stream.close()
      },
    }),
  )

async function heardIn(response: Response, seconds: number): Promise<unknown[]> {
  const heard: unknown[] = []
  for await (const one of eventsIn(response, seconds)) heard.push(one)
  return heard
}

it.each([1, 86_400, 31_536_000, Number.POSITIVE_INFINITY])(
  'a stream may be silent for %d s, and is not taken for lost before',
  async (seconds) => {
    const heard = await heardIn(lateEvent(100), seconds)
    expect(heard).toMatchObject([{ event: 'fact', data: '{}' }])
  },
)

it('a stream that is silent for longer is lost', async () => {
  await expect(heardIn(lateEvent(500), 0.1)).rejects.toThrow('nothing came for 0.1 s')
})
