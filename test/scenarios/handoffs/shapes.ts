/** Shapes of a hand-off: what a customer asks, who speaks to whom because of it, and what the customer hears. */
import { randomUUID } from 'node:crypto'
import { summon } from '@treeos/client'
import type { BeingName, Json } from '@treeos/core'
import type { RelayStep, RelayTask } from '../../support/relay.ts'
import { type Door, type HandOffWorld, type HeardAnswer, RINGS } from './hand-off-world.ts'

/** Part of the words of one question and its answers, and of no others. */
export const newMark = (): string => `m-${randomUUID().slice(0, 8)}`

/** What a customer asks for: an answer with this mark. */
const say = (mark: string): RelayTask => ({ say: mark })
const asking = (being: BeingName, to: RelayTask) => ({ ask: `@${being}`, to }) as const
const plan = (...steps: readonly RelayStep[]): RelayTask => ({ plan: steps })
const via = (being: BeingName, to: RelayTask): RelayTask => plan(asking(being, to), 'answer')

const told = (event: string, code: string | null = null): HeardAnswer => ({ heard: { told: event, code } })
const heard = (what: Json): HeardAnswer => ({ heard: what })

/** What persons do while a question is on its way. */
type Meanwhile = (here: HandOffWorld, mark: string, door: Door) => Promise<unknown>

export interface Shape {
  /** who is asked; @desk unless given */
  readonly to?: BeingName
  readonly task: (mark: string, customer: BeingName) => RelayTask
  /** what the customer is told; by default the mark is heard */
  readonly told?: (mark: string) => HeardAnswer
  /** besides what the customer asks and what is told to the customer at the door */
  readonly lines: readonly string[]
  readonly meanwhile?: Meanwhile
  /** what persons do once the customer has heard */
  readonly afterwards?: Meanwhile
}

const ASKED = { desk: '@desk > @', back: ' > @desk' } as const
/** A line for a question, and one for its answer. */
const both = (from: string, to: string): string[] => [`@${from} > @${to}`, `@${to} > @${from}`]
const BILLING = both('desk', 'billing')
const LEGAL = both('desk', 'legal')
const unanswered = (by: string) => [`${ASKED.desk}${by}`, `notice${ASKED.back}`]
const inPlan = (step: RelayStep): Pick<Shape, 'task' | 'lines'> => ({
  task: (mark) => plan(step, asking('billing', say(mark)), step, 'answer'),
  lines: BILLING,
})
const ringing = (space: string) => (mark: string) =>
  plan({ ring: space, of: mark }, asking('billing', say(mark)), 'answer')

export const SHAPES: Readonly<Record<string, Shape>> = {
  'a specialist answers': { task: (mark) => via('billing', say(mark)), lines: BILLING },
  'three are asked, each by the one before': {
    task: (mark) => via('legal', via('archive', via('billing', say(mark)))),
    lines: [...LEGAL, ...both('legal', 'archive'), ...both('archive', 'billing')],
  },
  'several are asked at once, and each answer is acted on': {
    to: 'each',
    task: (mark) => ({ all: [asking('billing', say(mark)), asking('legal', say(mark))] }),
    lines: [...both('each', 'billing'), ...both('each', 'legal')],
  },
  'several are asked at once, and all are heard first': {
    to: 'all',
    task: (mark) => ({ all: [asking('billing', say(mark)), asking('legal', say(mark))] }),
    lines: [...both('all', 'billing'), ...both('all', 'legal')],
  },
  'who is asked goes on by itself': {
    to: 'each',
    task: (mark) => ({ all: [asking('billing', say(mark))] }),
    lines: both('each', 'billing'),
  },
  'two are asked, one after the other': {
    task: (mark) => plan(asking('billing', say(`not ${mark}`)), asking('legal', say(mark)), 'answer'),
    lines: [...BILLING, ...LEGAL],
  },
  'the desk is asked by whom it asked': {
    task: (mark) => via('legal', via('billing', via('desk', say(mark)))),
    lines: [...LEGAL, ...both('legal', 'billing'), ...both('billing', 'desk')],
  },
  'a person who was asked asks the desk in the same thread before answering': {
    task: (mark) => via('clerk', say(mark)),
    told: (mark) => heard(`by hand, ${mark} and more`),
    lines: [...both('desk', 'clerk'), ...both('clerk', 'desk'), ...BILLING],
    async meanwhile(here, mark) {
      const { id } = await here.askedOf('clerk', mark)
      const thread = await here.threadOfWake(id)
      const { reply } = await summon(here.as('clerk'), {
        target: 'desk',
        content: via('billing', say(`${mark} and more`)) as unknown as Json,
        as: 'clerk',
        thread,
        waitSeconds: 120,
        requireReply: true,
      })
      const { heard: more } = (reply?.content ?? {}) as { heard?: string }
      await here.answers('clerk', mark, `by hand, ${more}`)
    },
  },
  'the desk looks in between': inPlan('look'),
  'the desk acts in between': inPlan('touch'),
  'the desk turns to itself in between': inPlan('turn'),
  'a person says yes in between': {
    task: ringing(RINGS.asked),
    lines: [...BILLING, 'asked > @chief'],
    meanwhile: (here, mark) => here.decides('approve', mark),
  },
  'a person says no in between': {
    task: ringing(RINGS.asked),
    lines: [...BILLING, 'asked > @chief'],
    meanwhile: (here, mark) => here.decides('deny', mark),
  },
  'a person says nothing in between': { task: ringing(RINGS.soon), lines: [...BILLING, 'asked > @chief'] },
  'the specialist asks back': {
    task: (mark) => plan(asking('billing', say(`which ${mark}?`)), asking('billing', say(mark)), 'answer'),
    lines: [...BILLING, ...BILLING],
  },
  'the specialist is silent': {
    task: () => via('billing', { silent: true }),
    told: () => told('unanswered'),
    lines: unanswered('billing'),
  },
  'the one whom the specialist asks is silent': {
    task: () => via('legal', via('billing', { silent: true })),
    told: () => told('unanswered'),
    lines: [...LEGAL, '@legal > @billing', 'notice > @legal'],
  },
  'the specialist fails': {
    task: () => via('billing', { fail: true }),
    told: () => told('failure', 'INTERNAL'),
    lines: unanswered('billing'),
  },
  'the specialist is skipped': {
    task: () => via('deaf', { silent: true }),
    told: () => told('unanswered', 'not-triggered'),
    lines: unanswered('deaf'),
  },
  'the specialist has ended': {
    task: () => via('gone', { silent: true }),
    told: () => ({ code: 'BEING_ENDED' }),
    lines: [],
  },
  'the specialist answers after its time': {
    task: (mark) => via('idler', say(mark)),
    told: () => told('unanswered', 'NO_ANSWER'),
    lines: [...both('desk', 'idler'), 'unanswered > @desk'],
    meanwhile: (here, mark) => here.dayGoesBy('idler', mark),
    afterwards: (here, mark) => here.answers('idler', mark, 'too late'),
  },
  'a person drives the specialist': {
    task: (mark) => via('guest', say(mark)),
    told: (mark) => heard(`by ${mark}`),
    lines: both('desk', 'guest'),
    meanwhile: (here, mark) => here.answers('guest', mark, `by ${mark}`, 'clerk'),
  },
  'a hijacked specialist answers in place of the desk': {
    task: (_, customer) => via('billing', { usurp: `@${customer}`, says: 'pay me', answers: true }),
    told: () => told('failure', 'FORBIDDEN'),
    lines: unanswered('billing'),
  },
  'a hijacked specialist speaks to the customer': {
    task: (_, customer) => via('billing', { usurp: `@${customer}`, says: 'pay me', answers: false }),
    told: () => told('unanswered'),
    lines: [...unanswered('billing'), '@billing > @customer'],
  },
  'two customers ask at once': {
    task: (mark) => via('legal', via('billing', say(mark))),
    lines: [...LEGAL, ...both('legal', 'billing')],
    async meanwhile(here, mark, door) {
      const other = here.customer(door, true)
      const asked = via('legal', via('billing', say(`other ${mark.replace('-', '_')}`)))
      const answer = await here.ask(door, other, 'desk', asked)
      if (JSON.stringify(answer) !== JSON.stringify(heard(`other ${mark.replace('-', '_')}`)))
        throw new Error(`the other customer was told ${JSON.stringify(answer)}`)
    },
  },
  'the desk says nothing': {
    task: (mark) => plan(asking('billing', say(mark)), 'nothing'),
    told: () => ({ code: 'NO_ANSWER' }),
    lines: BILLING,
  },
}

/** What came of a shape that a customer asked by a door. */
export interface ShapeEnd {
  readonly told: HeardAnswer
  /** `@a > @b` for each time that one spoke to another because of it; an event names itself; sorted */
  readonly lines: readonly string[]
}

/** What has to come of it. */
export function dueOf({ to = 'desk', task: _, told: says = heard, lines }: Shape, mark: string): ShapeEnd {
  const due = says(mark)
  const asked = [`@customer > @${to}`, ...('heard' in due ? [`@${to} > @customer`] : [])]
  return { told: due, lines: [...asked, ...lines].sort() }
}

/** Asks a shape by a door. @param mark is in no other question */
export async function askShape(
  here: HandOffWorld,
  { to = 'desk', task, meanwhile, afterwards }: Shape,
  { door, mark }: { readonly door: Door; readonly mark: string },
): Promise<ShapeEnd> {
  const customer = here.customer(door)
  const asked = { ...task(mark, customer), mark }
  const [answer] = await Promise.all([
    here.ask(door, customer, to, asked as RelayTask),
    meanwhile?.(here, mark, door),
  ])
  await afterwards?.(here, mark, door)
  return { told: answer, lines: await here.linesOf(customer, mark) }
}
