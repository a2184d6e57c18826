import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Letter {
  /** the idempotency key that it came under */
  readonly key: string
  readonly text: string
}

/**
 * A post office outside of the world: a real HTTP server on 127.0.0.1 that takes every letter each time it
 * comes.
 */
export interface PostOffice {
  readonly url: string
  /** every letter it took, in order */
  readonly letters: readonly Letter[]
  /** number of requests, refused ones too */
  readonly asked: number
  /**
   * what to do with the next requests, in order: a status to answer, 0 takes the letter and hangs up, 1 never
   * answers
   */
  moods: number[]
  close(): Promise<void>
}

/** @param upon called with each letter before it is answered */
export async function startPostOffice(
  upon: (letter: Letter) => unknown = () => undefined,
): Promise<PostOffice> {
  const letters: Letter[] = []
  let asked = 0

  async function take(letter: Letter, response: ServerResponse): Promise<void> {
    asked += 1
    const mood = office.moods.shift() ?? 200
    await upon(letter)
    if (mood === 1) return
    if (mood === 0 || mood === 200) letters.push(letter)
    if (mood === 0) return void response.destroy()
    response.writeHead(mood, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ receipt: letter.key }))
  }

  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const key = String(request.headers['idempotency-key'])
    await take({ key, text }, response).catch((error: unknown) => {
      console.error(error) // a mistake in a test: the client gets a 500
      response.writeHead(500).end()
    })
  })
  await new Promise<void>((done, failed) => {
    server.once('error', failed).listen(0, '127.0.0.1', done)
  })
  const office = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    letters,
    get asked() {
      return asked
    },
    moods: [] as number[],
    close() {
      const closed = new Promise<void>((done) => void server.close(() => done()))
      server.closeAllConnections() // unanswered clients still wait
      return closed
    },
  }
  return office
}
