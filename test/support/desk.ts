/** A support desk on a busy day, and a hand that counts what a person does on a page. */
import { inbox, summon } from '@treeos/client'
import type { Locator, Page } from 'playwright-core'
import { beingOf, createSpace, doAs, momentOf, play, setRole, tell, until, wakeUp } from './life.ts'
import type { Handler } from './model-server.ts'
import type { PortalWorld } from './portal.ts'

/** Besides @operator, who works at the desk. */
const CUSTOMERS = ['ada', 'bob', 'cleo', 'dora', 'emil'] as const
/** Scripted beings that answer whatever the operator asks. */
const CLERKS = 26
/** Puppets whose moments fail, each with a notice to the operator. */
const COURIERS = 9
const QUESTIONS = 12
const ANSWERS = 34
const REFUNDS = [41, 20, 42, 43] as const

/** What stands in the inbox of the operator: questions, refunds, answers and notices, mixed as they came. */
export const ENTRIES = QUESTIONS + REFUNDS.length + ANSWERS + COURIERS + 1
export const QUESTION = 'Where is order 4711?'
export const REFUND = REFUNDS[1]
export const ROLE = 'desk'
/** What the model of @billing refuses each request with. */
const REFUSAL = { status: 400, body: { error: { message: 'the prompt is too long for this model' } } }

/** What the role of the desk is told when it is changed, and what @helper then says. */
export const BRIEFLY = { prompt: ' Answer in one word.', answer: 'Sent.' }

/** @billing has a model that refuses; @helper one that answers in the words that its prompt asks for. */
export const answerAtDesk: Handler = (request) => {
  if (beingOf(request) === 'billing') return REFUSAL
  const isBrief = request.messages.some(({ content }) => content.includes(BRIEFLY.prompt))
  const content = isBrief ? BRIEFLY.answer : 'Your order is on its way.'
  return { tool: { name: 'summon', args: { content } } }
}

/**
 * 40 beings, 6 people, 60 entries. The world has the extension `till`, and a model server that answers by
 * `answerAtDesk`.
 */
export async function openDesk(at: PortalWorld): Promise<void> {
  const { world } = at
  for (const name of CUSTOMERS.slice(3)) await world.birth({ name, cognition: 'human', role: 'stage:free' })
  await setRole(world, {
    name: ROLE,
    canSee: ['/'],
    canSummon: [{ rel: 'asker' }],
    prompt: 'You answer customers.',
  })
  const clerk = { cognition: 'scripted', script: 'echo', home: '/library' }
  for (let i = 0; i < CLERKS; i++) await world.birth({ ...clerk, name: `clerk-${i}` })
  for (let i = 0; i < COURIERS; i++) await world.birthPuppet(`courier-${i}`)
  await world.birthPuppet('cashier')
  for (const name of ['billing', 'helper']) await world.birth({ name, cognition: 'llm', role: ROLE })
  await createSpace(world, '/shop')
  await doAs(world, 'set-space', '/shop', {
    field: 'permissions.do',
    value: { 'till:pay': { requires: ['anyone'], ask: { who: ['@operator'], within: 3600 } } },
  })
  await momentOf(world, await tell(world, 'helper', 'Where is order 4710?'))
  for (let i = 0; i < ANSWERS; i++) {
    await tell(world, i === 0 ? 'billing' : `clerk-${i % CLERKS}`, `Pack parcel ${i}.`)
    const courier = i / 3
    if (Number.isInteger(courier) && courier < COURIERS)
      await wakeUp(world, `courier-${courier}`, [{ throw: `van ${courier} does not start` }])
    if (Number.isInteger(courier) && courier < QUESTIONS) await askAtDesk(at, courier)
    const refund = REFUNDS[(i - 4) / 9]
    if (refund !== undefined)
      await play(world, 'cashier', {
        verb: 'do',
        operation: 'till:pay',
        target: '/shop',
        args: { euros: refund },
      })
  }
  await until(async () => (await openAtDesk(at)).length >= ENTRIES, {
    seconds: 60,
    what: `the inbox of ${ENTRIES} entries`,
  })
}

function askAtDesk(at: PortalWorld, i: number): Promise<unknown> {
  const person = CUSTOMERS[i % CUSTOMERS.length] ?? 'ada'
  const content = i === 3 ? QUESTION : `May order ${4000 + i} be changed?`
  return summon({ ...at.world, person }, { target: 'operator', content, as: person, waitSeconds: null })
}

export const openAtDesk = (at: PortalWorld) => inbox(at.world, 'operator')

/** What a task took of a person. */
export interface Work {
  readonly task: string
  readonly clicks: number
  /** keys that are no letters of a text */
  readonly keys: number
  /** of a text that the person wrote */
  readonly letters: number
  /** turns of the wheel, of four fifths of a screen each */
  readonly turns: number
  readonly seconds: number
}

const TURN = 0.8
const TURNS_MAX = 60

/** A hand at a page. It reaches what it can see, and turns the wheel for anything else. */
export class Hand {
  #clicks = 0
  #keys = 0
  #letters = 0
  #turns = 0
  readonly #began = performance.now()
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async click(what: Locator): Promise<void> {
    await this.sees(what)
    await what.click()
    this.#clicks += 1
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key)
    this.#keys += 1
  }

  async write(text: string): Promise<void> {
    await this.page.keyboard.type(text)
    this.#letters += text.length
  }

  /** Waits for something, and turns the wheel until its upper edge is on the screen. */
  async sees(what: Locator): Promise<void> {
    const { height } = this.page.viewportSize() ?? { height: 0 }
    await what.waitFor() // what is not there yet is waited for, not looked for
    for (let i = 0; i < TURNS_MAX; i++) {
      const { y, height: tall } = (await what.boundingBox()) ?? { y: height, height: 0 }
      if (y >= 0 && y + Math.min(tall, 24) <= height) return
      await this.page.mouse.move(700, height / 2)
      await this.page.mouse.wheel(0, TURN * height * (y < 0 ? -1 : 1))
      await this.page.waitForTimeout(100)
      this.#turns += 1
    }
    throw new Error(`not seen after ${TURNS_MAX} turns of the wheel: ${what}`)
  }

  /** What was done since the hand was made. */
  done(task: string): Work {
    const seconds = Math.round((performance.now() - this.#began) / 100) / 10
    return {
      task,
      clicks: this.#clicks,
      keys: this.#keys,
      letters: this.#letters,
      turns: this.#turns,
      seconds,
    }
  }
}
