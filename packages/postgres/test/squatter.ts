/**
 * A process that listens where Postgres should, and says whatever might get it a password or a query. It
 * gives all that it received to its parent when that asks, and then forgets it.
 */
import { createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Plan } from './squatter-process.ts'

/** What a trick sees of one connection. */
interface Caller {
  readonly socket: Socket
  /** the next message of the client; null when it has gone */
  next(): Promise<Message | null>
  send(type: string, body: Buffer): void
}
interface Message {
  readonly type: string
  readonly body: Buffer
}

const int32 = (n: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(n)
  return bytes
}
const frame = (type: string, body: Buffer) => Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
const authentication = (code: number, body: Buffer | string = '') =>
  Buffer.concat([int32(code), Buffer.from(body)])
const READY = frame('Z', Buffer.from('I'))
const OK = frame('R', authentication(0))
const SCRAM = 'SCRAM-SHA-256\0\0'

/** Lets the client in, and answers each query as if it had run. */
async function serve({ socket, next, send }: Caller): Promise<void> {
  socket.write(Buffer.concat([OK, READY]))
  for (let message = await next(); message !== null; message = await next()) {
    if (message.type !== 'Q' && message.type !== 'S') continue
    send('C', Buffer.from('SELECT 0\0'))
    socket.write(READY)
  }
}

interface Exchange {
  readonly nonce: string
  readonly clientFirst: string
}
async function askForScram({ next, send }: Caller): Promise<Exchange | null> {
  send('R', authentication(10, SCRAM))
  const first = await next()
  if (first === null) return null
  const clientFirst = /n=.*$/.exec(first.body.toString())?.[0] ?? ''
  return { clientFirst, nonce: /r=([^,]*)$/.exec(clientFirst)?.[1] ?? '' }
}
const salt = randomBytes(16).toString('base64')
const challenge = (nonce: string, rounds: number | string = 4096) => `r=${nonce}xyz,s=${salt},i=${rounds}`

/** An exchange by SCRAM up to the proof of the client, and then whatever the trick sends. */
const scram =
  (
    then: (caller: Caller, proof: Message) => Promise<void> | void,
    how: { rounds?: number | string; nonce?: string } = {},
  ) =>
  async (caller: Caller) => {
    const exchange = await askForScram(caller)
    if (exchange === null) return
    caller.send('R', authentication(11, challenge(how.nonce ?? exchange.nonce, how.rounds)))
    const proof = await caller.next()
    if (proof === null) return
    await then(caller, proof)
    await serve(caller)
  }
const final = (signature: string) => authentication(12, `v=${signature}`)
const asksFor = (code: number, body: Buffer | string) => async (caller: Caller) => {
  caller.send('R', authentication(code, body))
  await caller.next()
  await serve(caller)
}
/** What a server that knows another password would send. */
function signatureOf(password: string, exchange: Exchange, rounds: number): string {
  const salted = pbkdf2Sync(password, Buffer.from(salt, 'base64'), rounds, 32, 'sha256')
  const auth = `${exchange.clientFirst},${challenge(exchange.nonce, rounds)},c=biws,r=${exchange.nonce}xyz`
  const key = createHmac('sha256', salted).update('Server Key').digest()
  return createHmac('sha256', key).update(auth).digest('base64')
}

const TRICKS: Record<string, (caller: Caller) => Promise<void> | void> = {
  'asks for the password in clear': asksFor(3, ''),
  'asks for the password as MD5': asksFor(5, 'salt'),
  'lets everybody in': serve,
  'says that it is ready, without any login': async (caller) => {
    caller.socket.write(READY)
    await serve(caller)
  },
  'offers another mechanism only': async (caller) => {
    caller.send('R', authentication(10, 'PLAIN\0\0'))
    await serve(caller)
  },
  'signs with chance': scram(({ send }) => send('R', final(randomBytes(32).toString('base64')))),
  'signs with another password': async (caller) => {
    const exchange = await askForScram(caller)
    if (exchange === null) return
    caller.send('R', authentication(11, challenge(exchange.nonce)))
    if ((await caller.next()) === null) return
    caller.send('R', final(signatureOf('another', exchange, 4096)))
    await serve(caller)
  },
  'sends no signature': scram(({ send }) => send('R', authentication(12, ''))),
  'sends an empty signature': scram(({ send }) => send('R', final(''))),
  'lets in after the proof, without a signature of its own': scram(() => undefined),
  'asks in clear after the proof': scram(async ({ send, next }) => {
    send('R', authentication(3))
    await next()
  }),
  'asks in clear before the proof': async (caller) => {
    await askForScram(caller)
    await asksFor(3, '')(caller)
  },
  'sends the proof of the client back': scram(({ send }, proof) =>
    send('R', final(/p=(.*)$/.exec(proof.body.toString())?.[1] ?? '')),
  ),
  'replays the challenge of another login': scram(({ send }) => send('R', final(salt)), { nonce: 'old' }),
  'asks for a proof of one round': scram(({ send }) => send('R', final(salt)), { rounds: 1 }),
  'asks for 2^31 rounds': scram(({ send }) => send('R', final(salt)), { rounds: 2 ** 31 }),
  'asks for no number of rounds': scram(({ send }) => send('R', final(salt)), { rounds: '4096x' }),
  'signs before it asks': async (caller) => {
    await askForScram(caller)
    caller.send('R', final(salt))
    await serve(caller)
  },
  'asks twice at once, for two proofs': async (caller) => {
    const exchange = await askForScram(caller)
    if (exchange === null) return
    const ask = frame('R', authentication(11, challenge(exchange.nonce)))
    caller.socket.write(Buffer.concat([ask, ask, frame('R', final(salt)), OK, READY]))
    await serve(caller)
  },
  'begins the exchange again after the proof': scram(async (caller) => void (await askForScram(caller))),
  'asks for a login that pg does not know': async (caller) => {
    caller.send('R', authentication(7))
    await serve(caller)
  },
  'speaks HTTP': ({ socket }) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'sends a row before the login': async (caller) => {
    caller.send('D', Buffer.from([0, 1, 0, 0, 0, 1, 65]))
    await serve(caller)
  },
  'sends without end': ({ socket }) => {
    const chunk = frame(
      'S',
      Buffer.concat([Buffer.from('a\0'), Buffer.alloc(60_000, 65), Buffer.from('\0\0')]),
    )
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', more)
    more()
  },
}

const received: Buffer[] = []

/** Messages of a client, after its startup message. */
function callerOf(socket: Socket): Caller {
  let data = Buffer.alloc(0)
  let isOpen = true
  let wake = () => undefined as unknown
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk)
    data = Buffer.concat([data, chunk])
    wake()
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isOpen = false
    wake()
  })
  const upTo = async (length: () => number | null): Promise<Buffer | null> => {
    for (;;) {
      const wanted = length()
      if (wanted !== null && data.length >= wanted) {
        const taken = data.subarray(0, wanted)
        data = data.subarray(wanted)
        return taken
      }
      if (!isOpen) return null
      await new Promise<unknown>((resolve) => (wake = () => resolve(null)))
    }
  }
  let isBegun = false
  return {
    socket,
    async next() {
      if (!isBegun) {
        isBegun = true
        await upTo(() => (data.length < 4 ? null : data.readUInt32BE(0)))
      }
      const bytes = await upTo(() => (data.length < 5 ? null : 1 + data.readUInt32BE(1)))
      return bytes && { type: String.fromCharCode(bytes[0] as number), body: bytes.subarray(5) }
    },
    send: (type, body) => void (socket.destroyed || socket.write(frame(type, body))),
  }
}

const begin = async (trick: string, socket: Socket) => {
  const caller = callerOf(socket)
  // The first message is the startup message, or a request of TLS. Nothing is sent before it came.
  await new Promise((resolve) => socket.once('data', resolve))
  await TRICKS[trick]?.(caller)
}

/** Listens as planned, on loopback or where a socket is wanted. */
function squat({ trick, tls, relayTo, socketFile }: Plan, tell: (port: number) => void): void {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    if (relayTo !== undefined) return relay(socket, relayTo)
    if (tls === undefined) return void begin(trick, socket)
    socket.once('data', (request) => {
      received.push(request)
      if (typeof tls === 'string') return socket.write(tls)
      socket.write('S')
      void begin(trick, new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(tls) }))
    })
  })
  if (socketFile !== undefined) server.listen(socketFile, () => tell(0))
  else server.listen(0, '127.0.0.1', () => tell((server.address() as AddressInfo).port))
}

/** Sits between the client and the real server. */
function relay(socket: Socket, port: number): void {
  const far = connect(port, '127.0.0.1')
  far.on('error', () => socket.destroy())
  far.on('close', () => socket.destroy())
  socket.on('close', () => far.destroy())
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.pipe(far)
  far.pipe(socket)
}

process.on('message', (plan: Plan | null) => {
  if (plan === null) process.send?.(Buffer.concat(received.splice(0)).toString('latin1'))
  else squat(plan, (port) => process.send?.(port))
})
process.on('disconnect', () => process.exit())
