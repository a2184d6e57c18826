import type { Connection, Seat } from '@treeos/client'
import { TreeosError } from '@treeos/core'
import type { Context } from 'hono'
import type { Env, Visit } from '../portal.ts'
import type { Bounds, Turn } from './bounds.ts'
import { WORK, type Work } from './work.ts'

/** While a request waits, its token or session is checked this often. */
const STAY_MS = 5_000
/** Whoever waited longer for its turn is asked for its session or token again. */
const WAITED_MS = 100

interface TurnDeps {
  readonly work: Work
  readonly bounded: Bounds
  readonly mayStay: (visit: Visit) => Promise<boolean>
  readonly onError: (error: unknown) => void
}

/**
 * Runs an authorized request in its turn, holding the seat of its token.
 * @throws {TreeosError} UNAUTHORIZED when its session or token has ended meanwhile; CANCELLED when nobody
 *   waits for the answer
 */
export async function runInTurn(
  c: Context<Env>,
  next: () => Promise<void>,
  running: TurnDeps,
): Promise<void> {
  const { work, bounded, mayStay } = running
  const visit = c.get('visit') as Visit | undefined
  const requireStay = async (since: number) => {
    if (visit === undefined || performance.now() - since <= WAITED_MS) return
    if (c.req.raw.signal.aborted) throw new TreeosError('CANCELLED', 'nobody waits for the answer any more')
    if (!(await mayStay(visit))) throw new TreeosError('UNAUTHORIZED', 'the session or token has ended')
  }
  const asked = performance.now()
  const turn = await bounded.take(work, { group: visit?.person ?? '', key: visit?.session ?? '' })
  const run = async () => {
    await readRequestBody(c, work, bounded)
    await requireStay(asked)
    await next()
  }
  const toWait = async () => {
    const began = performance.now()
    await turn.toWait()
    await requireStay(began)
  }
  try {
    c.set('turn', { ...turn, toWait })
    if (WORK[work].isWaited === true && visit !== undefined)
      c.set('signal', stayingOf(c, visit, turn, running))
    const seat = visit?.token?.seat ?? null
    if (seat === null) await run()
    else
      await holding(seat, turn, async (at) => {
        c.set('visit', { ...(visit as Visit), at })
        await run()
      })
  } finally {
    turn.end()
  }
}

/** Aborts when nobody waits for the answer any more, or may not. */
function stayingOf(c: Context<Env>, visit: Visit, turn: Turn, { mayStay, onError }: TurnDeps): AbortSignal {
  const leaving = new AbortController()
  const checking = setInterval(() => {
    mayStay(visit).then((stays) => {
      if (!stays) leaving.abort()
    }, onError)
  }, STAY_MS)
  void turn.over.then(() => clearInterval(checking))
  return AbortSignal.any([c.req.raw.signal, leaving.signal])
}

/**
 * Runs under the lease that the seat has now. The call of the seat lasts as long as the turn, also where a
 * stream goes on after the answer has begun.
 */
async function holding(seat: Seat, turn: Turn, run: (at: Connection) => Promise<void>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const call = seat.use(async (at) => {
      await run(at)
      resolve()
      await turn.over
    })
    call.catch(reject)
  })
}

/**
 * Reads the body up to the bound of its work, so that what comes in pieces and says no length is bounded too.
 */
async function readRequestBody({ req }: Context<Env>, work: Work, bounded: Bounds): Promise<void> {
  const { method, body } = req.raw
  if (method === 'GET' || method === 'HEAD' || body === null) return
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length
    bounded.requireSize(work, size)
    chunks.push(chunk)
  }
  if (work === 'file') {
    req.bodyCache.arrayBuffer = Promise.resolve(Uint8Array.from(Buffer.concat(chunks)).buffer) as never
    return
  }
  const text = Promise.resolve(new TextDecoder().decode(Buffer.concat(chunks)))
  req.bodyCache.text = text as unknown as string // it holds promises, whatever its type says
}
