import {
  answer,
  type BeingRow,
  type Decision,
  defineExtension,
  defineOperation,
  defineRole,
  type Json,
  type JsonObject,
  perform,
  type RoleFlow,
  recordFact,
  type Script,
  setQuality,
  silence,
  TreeosError,
  tell,
  unknownBeing,
  type WakeView,
} from '@treeos/sdk'
import { z } from 'zod'
import { decide, hearing, RULES, type Rule } from './tally.ts'

/** Each member costs the panel one self-continue, and one thread allows 16. */
const SEATS_MAX = 12
/** Characters of a question, and of each answer. Together they must fit the qualities of one being. */
const SAID_LENGTH_MAX = 4000

const question = z.object({
  from: z.string(),
  /** correlation of the question */
  of: z.string(),
  content: z.json(),
  /** whether a person asked in words, and is told the verdict in words */
  inWords: z.boolean().default(false),
  /** its thread: in no other one can it be answered */
  thread: z.string(),
  /** the panel's own moment that took the question up, before any member was asked */
  since: z.string(),
  heard: z.array(hearing),
})
type Question = z.infer<typeof question>
const verdictTold = z.object({
  of: z.string(),
  question: z.json(),
  answer: z.json(),
  votes: z.record(z.string(), z.json()),
  silent: z.array(z.string()),
})
const panel = z.object({
  seats: z.array(z.string()).default([]),
  rule: z.enum(RULES).default('majority'),
  question: question.optional(),
  verdict: verdictTold
    .extend({ to: z.string(), thread: z.string(), inWords: z.boolean().default(false) })
    .optional(),
})

/** Qualities can be set by hand to anything, so a malformed panel counts as one without seats. */
const panelOf = (qualities: JsonObject) => panel.safeParse(qualities.panel).data ?? panel.parse({})

const seat = defineOperation({
  name: 'panel:seat',
  description:
    'Says who sits on a panel, in the order in which they are asked, and by which rule it decides.',
  on: 'being',
  allow: ['ancestor', 'operator'],
  args: z.strictObject({
    members: z.array(z.string().startsWith('@')).min(1).max(SEATS_MAX).describe('stances'),
    rule: z.enum(RULES).describe('when it has decided'),
  }),
  async decide({ target, args, world }) {
    requireNoQuestion(target)
    const seats = args.members.map((stance) => stance.slice(1))
    const twice = seats.find((name, i) => name === target.name || seats.indexOf(name) < i)
    if (twice !== undefined)
      throw new TreeosError(
        'INVALID_INPUT',
        `@${twice} cannot sit here: a member sits once, and is not the panel`,
      )
    for (const name of seats) if ((await world.being(name)) === null) throw unknownBeing(name)
    return {
      facts: [setQuality(target, 'panel.seats', seats), setQuality(target, 'panel.rule', args.rule)],
      result: args,
    }
  },
})

const open = defineOperation({
  name: 'panel:open',
  description: 'Takes up the question that woke the panel.',
  on: 'being',
  allow: ['self'],
  decide({ target, wake, moment }) {
    requireNoQuestion(target)
    const { from, correlation: of, root: thread, content, inReplyTo } = wake
    if (from === null || inReplyTo !== null)
      throw new TreeosError('INVALID_INPUT', `no being puts a question to @${target.name} in this moment`)
    requireShort('a question', content)
    if (panelOf(target.qualities).seats.length === 0)
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `nobody sits on @${target.name}: panel:seat seats its members`,
      )
    const inWords = typeof content === 'string' && wake.callerCognition === 'human'
    return {
      facts: [
        setQuality(target, 'panel.question', {
          from,
          of,
          thread,
          content,
          inWords,
          since: moment,
          heard: [],
        }),
        setQuality(target, 'panel.verdict', null),
      ],
      result: { of },
    }
  },
})

const hear = defineOperation({
  name: 'panel:hear',
  description:
    'Counts what woke the panel as what the member said who was asked last, and decides if that is enough.',
  on: 'being',
  allow: ['self'],
  decide({ target, wake }) {
    const { seats, rule } = panelOf(target.qualities)
    const asked = requireQuestion(target)
    const turn = seats[asked.heard.length]
    const said = saidBy(turn, asked, wake)
    if (turn === undefined || said === null)
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `@${target.name} now hears @${turn}: what woke it is not an answer of that member to its question`,
      )
    requireShort(`an answer of @${turn}`, said.answer)
    const heard = [...asked.heard, hearing.parse({ member: turn, answer: said.answer })]
    const decided = decide(rule, seats.length, heard)
    if (decided === null)
      return {
        facts: [setQuality(target, 'panel.question', { ...asked, heard })],
        result: { heard: heard.length },
      }
    const verdict = {
      of: asked.of,
      question: asked.content,
      answer: decided.answer,
      votes: Object.fromEntries(
        heard.flatMap(({ member, answer }) => (answer === null ? [] : [[member, answer]])),
      ),
      silent: heard.flatMap(({ member, answer }) => (answer === null ? [member] : [])),
    }
    return {
      facts: [
        setQuality(target, 'panel.question', null),
        setQuality(target, 'panel.verdict', {
          ...verdict,
          to: asked.from,
          thread: asked.thread,
          inWords: asked.inWords,
        }),
        recordFact(target, 'panel:decided', verdict),
      ],
      result: verdict,
    }
  },
})

function requireNoQuestion({ name, qualities }: BeingRow): void {
  const { question } = panelOf(qualities)
  if (question !== undefined)
    throw new TreeosError('RESOURCE_CONFLICT', `@${name} is still at a question of @${question.from}`)
}

function requireQuestion({ name, qualities }: BeingRow): Question {
  const { question } = panelOf(qualities)
  if (question === undefined) throw new TreeosError('RESOURCE_CONFLICT', `no question is put to @${name}`)
  return question
}

function requireShort(what: string, said: Json): void {
  const { length } = JSON.stringify(said)
  if (length > SAID_LENGTH_MAX)
    throw new TreeosError(
      'PAYLOAD_TOO_LARGE',
      `${what} is ${length} characters long, a panel keeps at most ${SAID_LENGTH_MAX}`,
    )
}

/**
 * Records each question and answer, then self-continues. The record decides which being is addressed next.
 * May summon nobody.
 */
const clerk = defineRole({
  name: 'panel:clerk',
  canDo: ['panel:open', 'panel:hear'],
  selfContinue: true,
  prompt: 'You keep the minutes of a panel: open each question, and count what its members say.',
})
/** Summons one being: the member whose turn it is, or the asker. Writes nothing. */
const voice = defineRole({
  name: 'panel:voice',
  canSummon: [{ rel: 'panel:addressee' }],
  prompt: 'You speak for a panel: ask the next member, or tell the verdict to whoever wanted it.',
})

/** Flow of every panel: it records when it is summoned, and speaks after it has recorded. */
export const sitting: RoleFlow = [
  {
    when: {
      'wake.kind': ['continue', 'idle'],
      'me.previousRole': 'panel:clerk',
      or: [
        { 'me.quality.panel.question': { present: true } },
        { 'me.quality.panel.verdict': { present: true } },
      ],
    },
    role: 'panel:voice',
  },
  { role: 'panel:clerk' },
]

/** Content of a wake without a caller. */
const event = z.object({
  event: z.string(),
  actor: z.string().optional(),
  correlation: z.string().optional(),
})

/**
 * Whether one moment of a being came after another moment of the same being. False for moments of two beings.
 */
function isAfter(moment: string, since: string): boolean {
  const [being, generation, n] = moment.split('/')
  const [same, older, last] = since.split('/')
  if (being !== same) return false
  return Number(generation) > Number(older) || (generation === older && Number(n) > Number(last))
}

/**
 * Scripted panel. It makes one decision a moment. All that it knows of earlier moments is in its qualities.
 */
const chair: Script = ({ wake, primary, face }) => {
  const me = `@${face.me.name}`
  const { seats, question, verdict } = panelOf(face.me.qualities)
  const turn = seats[question?.heard.length ?? 0]
  if (primary === 'panel:voice') {
    if (question !== undefined) return tell(`@${turn}`, question.content)
    if (verdict === undefined) return silence
    const { to, thread, inWords, ...told } = verdict
    const content = inWords ? verdictInWords(told) : told
    // After the patience of the panel it is in a thread of its own.
    return wake.root === thread ? answerTo(`@${to}`, told.of, content) : tell(`@${to}`, content)
  }
  if (wake.from !== null && answeredBy(wake) === undefined) return perform('panel:open', me)
  if (question === undefined || saidBy(turn, question, wake) === null) return silence
  return perform('panel:hear', me)
}

/** The verdict as a person reads it: the answer, then who said what. */
function verdictInWords({ answer: won, votes, silent }: z.infer<typeof verdictTold>): string {
  const said = Object.entries(votes).map(([member, vote]) => `@${member}: ${wordsOf(vote)}`)
  const heard = [...said, ...silent.map((member) => `@${member}: silent`)].join('; ')
  return `${won === null ? 'No answer won.' : wordsOf(won)} (${heard})`
}
const wordsOf = (said: Json): string => (typeof said === 'string' ? said : JSON.stringify(said))

/** Answers a question that was put in an earlier moment of the same thread. */
const answerTo = (target: string, question: string, content: Json): Decision => ({
  kind: 'call',
  call: { verb: 'summon', target, content, inReplyTo: question },
  content: null,
})

/**
 * The summon that a wake answers. A member that is itself a panel answers with one of its own, whose `of`
 * names the question.
 */
const answeredBy = ({ inReplyTo, content }: WakeView): string | undefined =>
  inReplyTo ?? verdictTold.safeParse(content).data?.of

/**
 * What a wake says for the member whose turn it is: its answer, or null for none when its moment failed or
 * the patience of the panel is at its end.
 * @returns null when the wake says nothing of that member and this question
 */
function saidBy(turn: string | undefined, question: Question, wake: WakeView): { answer: Json } | null {
  const isOfQuestion = (correlation = '') => isAfter(correlation, question.since)
  if (wake.from !== null) {
    if (wake.from !== turn || !isOfQuestion(answeredBy(wake))) return null
    const verdict = verdictTold.safeParse(wake.content).data
    return {
      answer: verdict === undefined || verdict.of !== answeredBy(wake) ? wake.content : verdict.answer,
    }
  }
  const told = event.safeParse(wake.content).data
  const hasFailed =
    told !== undefined &&
    ['failure', 'skipped', 'unanswered'].includes(told.event) &&
    told.actor === `@${turn}` &&
    isOfQuestion(told.correlation)
  return told?.event === 'idle' || hasFailed ? { answer: null } : null
}

const member = defineRole({
  name: 'panel:member',
  canSummon: [{ rel: 'asker' }],
  forceToolCall: true,
  prose: 'answers',
  prompt: 'You sit on a panel. Answer each question in as few words as it takes: they are counted.',
})
/**
 * Votes yes if the cost is not above its purse, the quality `panel.purse`. The cost is `{"cost": n}`, or the
 * one number in words.
 */
const purse: Script = ({ wake, face }) => {
  if (wake.from === null || wake.inReplyTo !== null) return silence
  const cost = costIn(wake.content)
  const { data: own } = z.object({ panel: z.object({ purse: z.number() }) }).safeParse(face.me.qualities)
  if (cost === null || own === undefined) return answer('cannot tell')
  return answer(cost <= own.panel.purse ? 'yes' : 'no')
}

function costIn(content: Json): number | null {
  if (typeof content !== 'string') return z.object({ cost: z.number() }).safeParse(content).data?.cost ?? null
  const [number, ...more] = content.match(/\d+(?:\.\d+)?/g) ?? []
  return number === undefined || more.length > 0 ? null : Number(number)
}

const born = (name: string, script: string, role: string, roleFlow: RoleFlow) => ({
  verb: 'be' as const,
  operation: 'birth',
  args: { name, cognition: 'scripted', script, role, roleFlow, home: '/council' },
})
const set = (being: string, field: string, value: Json) => ({
  verb: 'do' as const,
  operation: 'set-being',
  target: `@${being}`,
  args: { field, value },
})
const seated = (being: string, rule: Rule) => ({
  verb: 'do' as const,
  operation: 'panel:seat',
  target: `@${being}`,
  args: { members: ['@thrifty', '@sober', '@lavish'], rule },
})
/** A member that has not answered by then is passed over. */
const PATIENCE_SECONDS = 30

export default defineExtension({
  name: 'panel',
  version: '0.0.0',
  roles: [clerk, voice, member],
  clauses: sitting,
  operations: [seat, open, hear],
  relations: {
    /** the member whose turn it is; after the verdict, the asker */
    'panel:addressee': ({ me }) => {
      const { seats, question, verdict } = panelOf(me.qualities)
      const name = question === undefined ? verdict?.to : seats[question.heard.length]
      return name === undefined ? [] : [`@${name}`]
    },
  },
  scripts: { 'panel:chair': chair, 'panel:purse': purse },
  scene: [
    { verb: 'do', operation: 'create-space', target: '/', args: { path: '/council' } },
    ...Object.entries({ thrifty: 10, sober: 100, lavish: 1000 }).flatMap(([name, amount]) => [
      born(name, 'panel:purse', 'panel:member', []),
      set(name, 'panel.purse', amount),
    ]),
    ...Object.entries({ council: 'majority', minister: 'first' } as const).flatMap(([name, rule]) => [
      born(name, 'panel:chair', 'panel:clerk', sitting),
      set(name, 'wake.idle', PATIENCE_SECONDS),
      seated(name, rule),
    ]),
    { verb: 'summon', target: '@council', content: { cost: 40 } },
  ],
})
