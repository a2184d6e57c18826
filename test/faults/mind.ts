import { setTimeout as sleep } from 'node:timers/promises'
import { startModelServer, wordsIn } from '../support/model-server.ts'
import type { Random } from './random.ts'

/** A question that begins with it is never answered. */
export const POISON = 'poison'

/** A model that answers differently each time. Only one answer to a question may be used. */
export interface Mind {
  readonly url: string
  /** times at which it was asked, by question, ms since 1970 */
  readonly calls: ReadonlyMap<string, readonly number[]>
  /** how often it was asked each poison */
  readonly poisons: ReadonlyMap<string, number>
  close(): Promise<void>
}

/** @param answerMsMax longest time of an answer */
export async function startMind(random: Random, answerMsMax: number): Promise<Mind> {
  const calls = new Map<string, number[]>()
  const poisons = new Map<string, number>()
  const model = await startModelServer()
  model.script(async (request) => {
    const said = wordsIn(request)
    if (said.startsWith(POISON)) {
      poisons.set(said, 1 + (poisons.get(said) ?? 0))
      return { status: 500 }
    }
    const before = calls.get(said) ?? []
    calls.set(said, [...before, Date.now()])
    await sleep(random.next() * answerMsMax)
    return { tool: { name: 'summon', args: { content: `answer ${before.length + 1} to ${said}` } } }
  })
  return { url: model.url, calls, poisons, close: () => model.close() }
}
