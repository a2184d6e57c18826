/** Asks a process of Node.js to collect garbage, from outside, by its inspector. */
import { once } from 'node:events'

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly sessionId: string; readonly message: string }
  readonly error?: { readonly message: string }
}

/**
 * Collects the garbage of all threads. V8 does so late: what it no longer needs can be several times what it
 * keeps. So only the memory after this shows what a process keeps.
 * @param inspector address of its WebSocket
 */
export async function collectGarbage(inspector: string): Promise<void> {
  const socket = new WebSocket(inspector)
  await once(socket, 'open')
  const main = new Inspected((text) => socket.send(text))
  const threads = new Map<string, Inspected>()
  socket.addEventListener('message', ({ data }) => {
    const said = JSON.parse(String(data)) as Message
    main.hear(said)
    const { sessionId = '', message = '' } = said.params ?? {}
    if (said.method === 'NodeWorker.attachedToWorker') {
      const send = (text: string) =>
        void main.ask('NodeWorker.sendMessageToWorker', { sessionId, message: text })
      threads.set(sessionId, new Inspected(send))
    }
    if (said.method === 'NodeWorker.receivedMessageFromWorker')
      threads.get(sessionId)?.hear(JSON.parse(message) as Message)
  })
  try {
    await main.ask('NodeWorker.enable', { waitForDebuggerOnStart: false })
    for (const thread of [main, ...threads.values()]) {
      await thread.ask('HeapProfiler.enable')
      await thread.ask('HeapProfiler.collectGarbage')
    }
  } finally {
    socket.close()
  }
}

/** One thread of the process. */
class Inspected {
  readonly #send: (text: string) => void
  readonly #asked = new Map<number, PromiseWithResolvers<void>>()
  #ids = 0

  constructor(send: (text: string) => void) {
    this.#send = send
  }

  ask(method: string, params: object = {}): Promise<void> {
    this.#ids += 1
    const asked = Promise.withResolvers<void>()
    this.#asked.set(this.#ids, asked)
    this.#send(JSON.stringify({ id: this.#ids, method, params }))
    return asked.promise
  }

  hear({ id = 0, error }: Message): void {
    const asked = this.#asked.get(id)
    if (error === undefined) asked?.resolve()
    else asked?.reject(new Error(`the inspector refused: ${error.message}`))
  }
}
