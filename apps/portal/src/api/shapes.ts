import { z } from '@hono/zod-openapi'
import { INBOX_KINDS, type InboxKind } from '@treeos/client'
import { BUDGET_PERIODS, OUTCOMES, PRIORITIES, type Priority, VERBS } from '@treeos/core'
import { anyJson, anyObject, typed } from './operation.ts'

const texts = z.array(z.string()).readonly()
const time = z.iso.datetime().openapi({ description: 'ISO 8601, UTC' })
export const stance = z.string().openapi({ example: '@solomon' })

/** Left out for all others. */
const outside = z.literal(true).optional().openapi({ description: 'these are words from outside' })

export const priority = z.enum(Object.keys(PRIORITIES) as [Priority, ...Priority[]])

const spot = z.object({ x: z.number(), y: z.number(), z: z.number() })

export const Descriptor = z
  .object({
    address: z.object({ path: z.string(), being: z.string().nullable(), chain: texts }),
    beings: texts,
    children: texts,
    matters: texts,
    beingLineage: texts,
    type: z.string(),
    qualities: anyObject('by namespace'),
    identity: z.object({
      cognition: z.string().nullable(),
      defaultRole: z.string().nullable(),
      home: z.string().nullable(),
      inhabitedBy: z.string().optional(),
      paused: z.string().optional(),
      ended: z.string().optional(),
    }),
    owner: z.string().nullable().optional(),
    contributors: texts.optional(),
    size: spot.optional(),
    coord: spot.optional(),
    outside: z.literal(true).optional().openapi({ description: 'it holds words from outside' }),
    seen: z
      .string()
      .optional()
      .openapi({ description: 'where it does: by what `vouch` names what is there' }),
    content: anyJson('of a thing').optional(),
    catalogs: typed('Catalogs', 'of the role manager').optional(),
  })
  .openapi('Descriptor')

const Moment = z
  .object({
    n: z.int(),
    openedAt: time,
    verb: z.enum(VERBS).nullable(),
    wake: z.string().nullable(),
    woke: typed('WokenBy').nullable(),
    did: typed('MadeCall').nullable(),
    outcome: z.enum(OUTCOMES),
    reason: z.string().optional(),
    message: z.string().optional(),
    primary: z.string().nullable(),
    stacked: texts,
    stackDigest: z.string().nullable(),
    promptDigest: z.string().nullable(),
    act: z.string().nullable(),
    actHash: z.string().nullable(),
    driver: z.string().optional(),
    content: z.string().optional(),
    overlay: typed('OverlayRecord').optional(),
    shadow: z.array(typed('ShadowVerdict')).readonly().optional(),
  })
  .openapi('Moment')

export const LivedMoment = Moment.extend({
  endedAt: time,
  words: z.string().nullable().openapi({ description: 'the beginning of what it said to another being' }),
  args: z
    .string()
    .nullable()
    .openapi({ description: 'the arguments of what it did, shortened; null where it gave none' }),
  cost: z
    .object({ attempts: z.int(), tokens: z.int(), money: z.number() })
    .nullable()
    .openapi({ description: 'of its model; null when none was asked' }),
}).openapi('LivedMoment')

export const ListedMoment = LivedMoment.extend({ being: stance, moment: z.string() }).openapi('ListedMoment')

const FactRef = z
  .object({ reel: z.string(), seq: z.int(), hash: z.string(), kind: z.string() })
  .openapi('FactRef')

export const Act = z
  .object({
    act: z.string().nullable().openapi({ description: 'id of the moment that holds the act' }),
    result: anyJson('what the operation gave'),
    facts: z.array(FactRef).readonly(),
    waiting: anyJson('what waits for the yes of a person, where a rule asks one').optional(),
  })
  .openapi('Act')

export const Summoned = z
  .object({
    correlation: z.string().openapi({ description: 'id of the summon, and of the thread that it began' }),
    // `Moment.nullable()` would make every Moment of the description nullable.
    moment: z.union([Moment, z.null()]),
    reply: z
      .object({ from: stance, content: anyJson('what was answered') })
      .nullable()
      .openapi({ description: 'null when no answer came, or nobody waited: then `moment` is null too' }),
    overlay: z.object({ salt: z.string() }).optional(),
    waiting: anyJson('what waits for the yes of a person, where a rule asks one').optional(),
  })
  .openapi('Summoned')

export const InboxEntry = z
  .object({
    correlation: z.string(),
    kind: z.enum(INBOX_KINDS).openapi({
      description:
        '`question`, `approval` and `budget` need a decision, `asks-back`, an answer that asks, words; the others nothing',
    }),
    thread: z.string(),
    from: stance.nullable(),
    role: z.string().optional().openapi({ description: 'in which that being spoke' }),
    content: anyJson('what was said'),
    text: z.string().openapi({ description: 'in plain words what was said or what happened' }),
    at: time,
    priority,
    notice: z.literal(true).optional(),
    times: z.int().optional(),
    latest: time.optional(),
    outside,
  })
  .openapi('InboxEntry')

const counted = z.int()
export const InboxCounts = z
  .object({
    open: z.object(
      Object.fromEntries(INBOX_KINDS.map((kind) => [kind, counted])) as Record<InboxKind, typeof counted>,
    ),
    newest: time
      .nullable()
      .openapi({ description: 'when the newest of them came; null where nothing waits' }),
  })
  .openapi('InboxCounts')

const thread = {
  thread: z.string(),
  state: z.enum(['pending', 'live', 'severed', 'complete']),
  wakes: z.int(),
  open: z.int(),
  acts: z.int(),
  depth: z.int(),
  began: time,
  moved: time,
  participants: texts,
  unheard: z
    .array(z.object({ from: stance, words: z.string() }))
    .readonly()
    .optional(),
}
export const Thread = z
  .object({
    ...thread,
    subject: z
      .string()
      .nullable()
      .openapi({ description: 'what it began with, shortened; null where I may read nothing of it' }),
    outside,
    last: z
      .object({ from: stance.nullable(), words: z.string(), outside })
      .nullable()
      .openapi({ description: 'what was said last of what I may read, shortened' }),
    channel: z.string().nullable(),
  })
  .openapi('Thread')

const followed = z
  .array(stance)
  .readonly()
  .optional()
  .openapi({ description: 'of an answer: whose answers it followed' })

export const Conversation = z
  .object({
    ...thread,
    lines: z
      .array(
        z.object({
          id: z.string(),
          at: time,
          from: stance.nullable(),
          to: stance,
          kind: z.enum(['words', 'event']).openapi({ description: 'whether a being spoke' }),
          text: z.string().openapi({ description: 'in plain words what was said or what happened' }),
          content: anyJson('what was said'),
          inReplyTo: z.string().nullable(),
          asksBack: z.literal(true).optional().openapi({ description: 'it is an answer that asks in turn' }),
          followed,
          notice: z.boolean(),
          outside,
          isOpen: z.boolean(),
          moment: z
            .object({
              n: z.int(),
              outcome: z.enum(OUTCOMES),
              reason: z.string().optional(),
              message: z.string().optional(),
            })
            .nullable(),
        }),
      )
      .readonly(),
    hidden: z.int(),
    owed: z
      .array(z.object({ id: z.string(), from: stance, to: stance, for: z.string().optional() }))
      .readonly()
      .openapi({
        description: 'questions that somebody still works on; `for`: the question for which one was asked',
      }),
  })
  .openapi('Conversation')

/** What stands in a thread, or the threads of a channel. */
export const Spoken = z.union([
  z
    .object({
      ...thread,
      root: z.string(),
      lines: z
        .array(
          z.object({
            at: time,
            kind: z.enum(['words', 'event']),
            from: stance.optional(),
            to: stance.optional(),
            text: z.string(),
            followed,
            outside,
            moment: z.string().optional(),
            tokens: z.int().optional(),
            money: z.number().optional(),
          }),
        )
        .readonly(),
      hidden: z.int(),
      moments: z.int(),
      tokens: z.int(),
      money: z.number(),
      owed: z.array(z.object({ id: z.string(), from: stance, to: stance })).readonly(),
    })
    .openapi('SpokenThread'),
  z.object({ channel: z.string(), threads: z.array(z.object(thread)).readonly() }).openapi('Channel'),
])

export const Operation = z
  .object({
    verb: z.enum(['do', 'be']),
    name: z.string(),
    origin: z.string(),
    description: z.string(),
    targets: texts,
    allow: texts,
    args: z.record(z.string(), z.string()),
    schema: anyObject('JSON Schema of the arguments').optional(),
    effect: z.object({ timeoutSeconds: z.number(), attempts: z.int() }).optional(),
  })
  .openapi('Operation')

export const Self = z
  .object({
    being: stance,
    space: z.string(),
    role: z.string(),
    stacked: texts,
    surface: typed('Surface'),
    self: z.union([Descriptor, z.null()]),
  })
  .openapi('Self')

const limits = z.object({
  momentsPerMinute: z.number(),
  selfContinues: z.number(),
  hops: z.number(),
  births: z.number(),
  tokens: z.number(),
  money: z.number(),
  per: z.enum(BUDGET_PERIODS),
})

export const BeingItem = z
  .object({
    being: z.string(),
    stance,
    cognition: z.string(),
    parent: stance.nullable(),
    space: z.string(),
    defaultRole: z.string().nullable(),
    ended: time.optional(),
    paused: time.optional(),
    inhabitedBy: stance.optional(),
    budget: limits.partial().optional(),
    parked: typed('Breach').optional(),
  })
  .openapi('BeingItem')

export const Budget = z
  .object({
    being: z.string().nullable(),
    stance: z.string().nullable(),
    for: z.enum(['llm', 'scripted']).optional(),
    standard: z.literal(true).optional(),
    limits: limits
      .extend({ tokensPerPerson: z.number() })
      .partial()
      .openapi({ description: 'absent: that is not bounded' }),
    used: z.object({ tokens: z.number(), money: z.number(), moments: z.int(), births: z.int() }),
    held: z.object({ tokens: z.number(), money: z.number() }),
    unsure: z.object({ tokens: z.number(), money: z.number() }).optional(),
  })
  .openapi('Budget')

export const Explained = typed('ExplainedMoment')

export const Prompt = z
  .object({
    system: z.string(),
    user: z.string(),
    digest: z.string(),
    identical: z.boolean(),
    older: z.literal(true).optional(),
  })
  .openapi('Prompt')

export const Namespace = z
  .object({ namespace: z.string(), owner: z.string().nullable(), publishers: texts, reserved: z.boolean() })
  .openapi('Namespace')
