import {
  answer,
  asJson,
  defineExtension,
  defineOperation,
  defineRole,
  type Json,
  type JsonObject,
  type MatterRow,
  perform,
  recordFact,
  type Script,
  setQuality,
  silence,
  TreeosError,
} from '@treeos/sdk'
import { z } from 'zod'

/** A day is one quality of the log, and qualities are bounded in size. */
const ENTRIES_PER_DAY_MAX = 50
/** Days that the view shows, newest first. */
const DAYS_SHOWN = 7

const entry = z.object({
  food: z.string().min(1).max(80).describe('what was eaten'),
  kcal: z.number().int().min(0).max(20_000).describe('of all of it'),
})
const day = z.iso.date()
export type MealEntry = z.infer<typeof entry>

export interface DayTotal {
  readonly day: string
  readonly entries: number
  readonly kcal: number
}

/** Totals of each day, newest first. @param days entries by ISO date */
export const totals = (days: Readonly<Record<string, readonly MealEntry[]>>): DayTotal[] =>
  Object.entries(days)
    .map(([day, entries]) => ({
      day,
      entries: entries.length,
      kcal: entries.reduce((sum, { kcal }) => sum + kcal, 0),
    }))
    .sort((a, b) => (a.day < b.day ? 1 : -1))

/** Qualities can be set by hand to anything, so malformed days are left out. */
function daysOf({ qualities }: MatterRow): Record<string, MealEntry[]> {
  const kept = z.record(z.string(), z.unknown()).safeParse(qualities.food).data ?? {}
  return Object.fromEntries(
    Object.entries(kept).flatMap(([key, value]) => {
      const { data } = z.array(entry).safeParse(value)
      return day.safeParse(key).success && data !== undefined ? [[key, data]] : []
    }),
  )
}

const log = defineOperation({
  name: 'food:log',
  description: 'Notes what was eaten, in a food log of one’s own.',
  on: 'matter',
  allow: ['owner'],
  args: z.strictObject({ day: day.describe('as in 2026-11-22'), ...entry.shape }),
  decide({ target, args }) {
    const { day, ...eaten } = args
    if (target.type !== 'food-log')
      throw new TreeosError('INVALID_TYPE', `matter:${target.id} is a ${target.type}, not a food-log`)
    const before = daysOf(target)[day] ?? []
    if (before.length >= ENTRIES_PER_DAY_MAX)
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `${day} of matter:${target.id} has ${before.length} entries, a day takes at most ${ENTRIES_PER_DAY_MAX}`,
      )
    const entries = [...before, eaten]
    const [total] = totals({ [day]: entries })
    return {
      facts: [setQuality(target, `food.${day}`, entries), recordFact(target, 'food:logged', args)],
      result: { ...total },
    }
  },
})

/** Keeps its own log, and answers with the totals of the days. */
const eater = defineRole({
  name: 'food:eater',
  canSee: [{ rel: 'here' }],
  canDo: ['create-matter', 'food:log'],
  canSummon: [{ rel: 'asker' }],
  see: ['food:totals'],
  prose: 'answers',
  selfContinue: 'until-answered',
  prompt:
    'You keep a log of what you eat: one thing of type food-log, and a food:log on it for each meal. Told of a meal, log it; ' +
    'asked how the days went, answer by the totals.',
})

/** The totals of one log, as the view shows them. */
interface ShownLog {
  readonly log: string
  readonly days: readonly DayTotal[]
}

/**
 * `{"begin": id}` starts a log. `{"ate": {day, food, kcal}}` goes into the first log. Other JSON gets the
 * totals as JSON, and words get them in words.
 */
const diary: Script = ({ wake, face }) => {
  if (wake.from === null || wake.inReplyTo !== null) return silence
  const logs = (face.views.find(({ name }) => name === 'totals')?.view ??
    []) as unknown as readonly ShownLog[]
  if (wake.kind === 'continue' || typeof wake.content === 'string') return answer(inWords(logs))
  const { begin, ate } = (wake.content ?? {}) as { begin?: Json; ate?: JsonObject }
  if (typeof begin === 'string')
    return perform('create-matter', face.space.path, { id: begin, type: 'food-log' })
  const [first] = logs
  if (ate === undefined) return answer(asJson(logs))
  return first === undefined ? answer(NO_LOG) : perform('food:log', first.log, ate)
}

const NO_LOG = 'I keep no log yet.'

function inWords(logs: readonly ShownLog[]): string {
  if (logs.length === 0) return NO_LOG
  const days = logs.flatMap((log) => log.days)
  if (days.length === 0) return 'Nothing is in my log yet.'
  return days
    .map(({ day, entries, kcal }) => `${day}: ${kcal} kcal in ${entries} entr${entries === 1 ? 'y' : 'ies'}.`)
    .join(' ')
}

const born = (name: string) => ({
  verb: 'be' as const,
  operation: 'birth',
  args: { name, cognition: 'scripted', script: 'food:diary', role: 'food:eater', home: '/kitchen' },
})
const says = (content: JsonObject) => ({ verb: 'summon' as const, target: '@pia', content })
const ate = (day: string, food: string, kcal: number) => says({ ate: { day, food, kcal } })

export default defineExtension({
  name: 'food',
  version: '0.0.0',
  roles: [eater],
  operations: [log],
  matterTypes: { 'food-log': 'what a being ate, day by day' },
  see: {
    /** of the being's own logs in its space */
    'food:totals': async ({ me, world }) => {
      const ids = await world.matters(me.space)
      await world.prefetch(ids.map((id) => `matter:${id}`))
      const matters = await Promise.all(ids.map((id) => world.matter(id)))
      return matters.flatMap((matter): Json[] =>
        matter?.type === 'food-log' && matter.owner === me.name
          ? [
              {
                log: `matter:${matter.id}`,
                days: asJson(totals(daysOf(matter)).slice(0, DAYS_SHOWN)),
              },
            ]
          : [],
      )
    },
  },
  scripts: { 'food:diary': diary },
  minds: ['rosa'],
  scene: [
    { verb: 'do', operation: 'create-space', target: '/', args: { path: '/kitchen', type: 'kitchen' } },
    {
      verb: 'do',
      operation: 'set-space',
      target: '/kitchen',
      args: { field: 'permissions.do.create-matter', value: true },
    },
    born('pia'),
    born('rosa'),
    says({ begin: 'pias-food' }),
    ate('2026-11-21', 'porridge', 350),
    ate('2026-11-21', 'lentil soup', 480),
    ate('2026-11-22', 'bread and cheese', 410),
  ],
})
