/** What both offline verifiers leave open in honest records, and what they compare all the same. Each reality is lived in memory. */
import { type Json, type JsonObject, newWake, PRIORITIES, type VerbCall } from '@treeos/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { manor } from './drawn-calls.ts'
import { GeneratedReality } from './generated-reality.ts'
import { BEGINNING } from './generated-steps.ts'
import { bothOn } from './law-compared.ts'
import { SecondVerifier, whyNoPython } from './second-opinion.ts'

const why = whyNoPython()
const judged = it.skipIf(why !== null)
let second: SecondVerifier
beforeAll(() => {
  if (why === null) second = new SecondVerifier()
})
afterAll(() => second?.close())

const OF_CODE = 'both gates were asked, and what code of an extension did is said by their records'

/** The manor, where `manor:till` is the operation of a skill, so that it takes an overlay. */
const withSkill = {
  ...manor,
  operations: manor.operations?.map((one) =>
    one.name === 'manor:till' ? { ...one, entry: 'manor:tiller' } : one,
  ),
} as typeof manor
const till = { verb: 'do', operation: 'manor:till', target: '/den', args: {} } as const

/** A reality in which the operator acts. */
class ActedReality {
  readonly at: GeneratedReality
  #acts = 0

  private constructor(name: string) {
    this.at = new GeneratedReality(name, [withSkill])
  }

  static async begin(name: string): Promise<ActedReality> {
    const reality = new ActedReality(name)
    for (const call of BEGINNING) await reality.act(call)
    return reality
  }

  /** @returns how the act ended */
  async act(call: VerbCall, answers: string | null = null): Promise<string | undefined> {
    this.#acts += 1
    const wake = newWake({
      ...{ id: `act/${this.#acts}`, being: 'operator', kind: 'act', priority: PRIORITIES.human },
      ...{ root: `${this.#acts}`, content: { answers, call: call as unknown as Json } },
    })
    return (await this.at.live('operator', wake, call))?.outcome
  }
}

/** What both say: their faults, and by class what they leave open. */
async function toldOf(lines: readonly JsonObject[]) {
  const { first, second: other } = await bothOn(lines, second)
  return { faults: [first.fault, other.fault], unjudged: [first.unjudged, other.unjudged] }
}

const bothLeaveOpen = (why: string) => ({ faults: [null, null], unjudged: [{ [why]: 1 }, { [why]: 1 }] })

judged('a call of a skill with an overlay is not proven: no manifest says what takes one', async () => {
  const reality = await ActedReality.begin('overlaid')
  expect(await reality.act({ ...till, overlay: 'handle' })).toBe('act')
  expect(await toldOf(reality.at.lines())).toEqual(bothLeaveOpen(OF_CODE))
})
