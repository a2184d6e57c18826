import {
  answer,
  asJson,
  defineExtension,
  defineRole,
  type Json,
  perform,
  type Script,
  silence,
  tell,
} from '@treeos/sdk'
import { z } from 'zod'

/**
 * The content of a thing of type `fitness-set`. The athlete is the owner of the thing, so it cannot be forged
 * here.
 */
const fitnessSet = z.object({
  exercise: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
  /** number of the athlete's training of this exercise, from 1 */
  session: z.number().int().min(1).max(100_000),
  /** number of the set in this session, from 1 */
  set: z.number().int().min(1).max(100),
  /** kg */
  weight: z.number().min(0).max(1000),
  target: z.number().int().min(1).max(1000),
  reps: z.number().int().min(0).max(1000),
})
export type FitnessSet = z.infer<typeof fitnessSet>

const STEP_KG = 2.5
const DELOAD = 0.9
/** After this many missed sessions in a row at one weight, the advice is less weight. */
const MISSES_MAX = 2

export interface Advice {
  /** kg */
  readonly weight: number
  readonly why: 'all-met' | 'missed' | 'missed-twice'
  /** the last session that the advice uses */
  readonly session: number
}

/**
 * Progressive overload. Adds a step if the last session met all targets. Takes off a tenth after two misses
 * in a row at the same weight. Otherwise keeps the weight.
 * @param sets of one athlete and one exercise, in any order
 * @returns null without sets
 */
export function overload(sets: readonly FitnessSet[]): Advice | null {
  const sessions = sessionsOf(sets).map((session) => {
    const done = sets.filter((set) => set.session === session)
    return {
      session,
      weight: Math.max(...done.map(({ weight }) => weight)),
      met: done.every(({ reps, target }) => reps >= target),
    }
  })
  const [last] = sessions
  if (last === undefined) return null
  const { session, weight } = last
  if (last.met) return { weight: weight + STEP_KG, why: 'all-met', session }
  const misses = sessions.findIndex((one) => one.met || one.weight !== weight)
  if ((misses < 0 ? sessions.length : misses) < MISSES_MAX) return { weight, why: 'missed', session }
  return { weight: Math.floor((weight * DELOAD) / STEP_KG) * STEP_KG, why: 'missed-twice', session }
}

/** Session numbers, newest first. */
const sessionsOf = (sets: readonly FitnessSet[]): number[] =>
  [...new Set(sets.map(({ session }) => session))].sort((a, b) => b - a)

/** The sets of one athlete and one exercise, as far back as the advice uses them. */
interface AthleteSets {
  readonly athlete: string
  readonly exercise: string
  readonly sets: readonly FitnessSet[]
}

function recent(sets: readonly FitnessSet[]): FitnessSet[] {
  const sessions = sessionsOf(sets).slice(0, MISSES_MAX)
  return sets.filter(({ session }) => sessions.includes(session))
}

/** Reads the sets in its space and gives advice. Changes nothing. */
const coach = defineRole({
  name: 'fitness:coach',
  canSee: [{ rel: 'here' }, { pattern: 'matter:*' }],
  canSummon: [{ rel: 'asker' }],
  see: ['fitness:sets'],
  forceToolCall: true,
  prose: 'answers',
  prompt:
    'You are a coach. Whoever asks wants to know the next weight of an exercise. Go by their own sets alone: a step more when ' +
    'all targets were met, a tenth less after two misses of one weight, else the same again.',
})
/** Records its own sets as matter, and asks the coach. */
const athlete = defineRole({
  name: 'fitness:athlete',
  canDo: ['create-matter'],
  canSummon: ['@coach', { rel: 'asker' }],
  prose: 'answers',
  selfContinue: 'until-answered',
  prompt:
    'You train. Note each set as a thing of type fitness-set, and ask the coach before the next session.',
})

/**
 * Gives the next weight, from the asker's own sets: `{"exercise": …}` gets it as JSON, words get it in words,
 * for the exercises that they name, else for all.
 */
const advise: Script = ({ wake, face }) => {
  if (wake.from === null || wake.inReplyTo !== null) return silence
  const trainings = (face.views.find(({ name }) => name === 'sets')?.view ?? []) as unknown as AthleteSets[]
  const own = trainings.filter(({ athlete }) => athlete === wake.from)
  const { data: asked } = z.object({ exercise: z.string() }).safeParse(wake.content)
  if (asked === undefined) return answer(inWords(own, wake.content))
  const training = own.find(({ exercise }) => exercise === asked.exercise)
  return answer({ ...asked, advice: (training === undefined ? null : overload(training.sets)) as Json })
}

const REASONS = {
  'all-met': 'all targets were met',
  missed: 'a target was missed',
  'missed-twice': 'targets were missed twice in a row',
} as const

function inWords(own: readonly AthleteSets[], asked: Json): string {
  const named = own.filter(
    ({ exercise }) => typeof asked === 'string' && asked.toLowerCase().includes(exercise),
  )
  const told = (named.length === 0 ? own : named).flatMap(({ exercise, sets }) => {
    const advice = overload(sets)
    return advice === null ? [] : [`${exercise}: ${advice.weight} kg next, since ${REASONS[advice.why]}.`]
  })
  return told.length === 0 ? 'I have seen no set of yours here, so I can name no weight yet.' : told.join(' ')
}

/**
 * Records `{"did": {a set}}`, passes `{"ask": exercise}` on to the coach, and answers words with
 * words.
 */
const train: Script = ({ wake, face }) => {
  if (wake.kind === 'message' && typeof wake.content === 'string')
    return answer('I train here, and the coach tells me what weight is next.')
  const { did, ask } = (wake.from === null || wake.inReplyTo !== null ? {} : (wake.content ?? {})) as {
    did?: Json
    ask?: Json
  }
  if (typeof ask === 'string') return tell('@coach', { exercise: ask })
  const { data: set, error } = fitnessSet.safeParse(did)
  if (did === undefined) return silence
  if (set === undefined) return { kind: 'failure', code: 'INVALID_INPUT', message: z.prettifyError(error) }
  const id = [face.me.name, set.exercise, set.session, set.set].join('-')
  return perform('create-matter', face.space.path, { id, type: 'fitness-set', content: set })
}

const did = (session: number, set: number, reps: number) => ({
  verb: 'summon' as const,
  target: '@mia',
  content: { did: { exercise: 'squat', session, set, weight: 60, target: 5, reps } },
})
const born = (name: string, script: string, role: string) => ({
  verb: 'be' as const,
  operation: 'birth',
  args: { name, cognition: 'scripted', script, role, home: '/gym' },
})

export default defineExtension({
  name: 'fitness',
  version: '0.0.0',
  roles: [coach, athlete],
  see: {
    /** grouped by athlete and exercise; malformed sets are left out */
    'fitness:sets': async ({ me, world }) => {
      const ids = await world.matters(me.space)
      await world.prefetch(ids.map((id) => `matter:${id}`))
      const trainings = new Map<string, AthleteSets & { sets: FitnessSet[] }>()
      for (const id of ids) {
        const matter = await world.matter(id)
        const { data: set } = fitnessSet.safeParse(matter?.type === 'fitness-set' ? matter.content : null)
        if (matter === null || set === undefined) continue
        const { owner } = matter
        const key = `${owner} ${set.exercise}`
        const training = trainings.get(key) ?? { athlete: owner, exercise: set.exercise, sets: [] }
        training.sets.push(set)
        trainings.set(key, training)
      }
      return asJson([...trainings.values()].map((one) => ({ ...one, sets: recent(one.sets) })))
    },
  },
  scripts: { 'fitness:advise': advise, 'fitness:train': train },
  matterTypes: { 'fitness-set': 'one set of an exercise: weight, target and repetitions' },
  spaceTypes: { 'fitness:gym': 'where sets are done' },
  minds: ['coach'],
  scene: [
    { verb: 'do', operation: 'create-space', target: '/', args: { path: '/gym', type: 'fitness:gym' } },
    {
      verb: 'do',
      operation: 'set-space',
      target: '/gym',
      args: { field: 'permissions.do.create-matter', value: true },
    },
    born('coach', 'fitness:advise', 'fitness:coach'),
    born('mia', 'fitness:train', 'fitness:athlete'),
    did(1, 1, 5),
    did(1, 2, 5),
    did(1, 3, 5),
    { verb: 'summon', target: '@mia', content: { ask: 'squat' } },
  ],
})
