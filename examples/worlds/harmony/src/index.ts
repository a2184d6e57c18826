import {
  answer,
  asJson,
  defineExtension,
  defineOperation,
  defineRole,
  type Json,
  perform,
  publishSignal,
  type RoleFlow,
  recordFact,
  type Script,
  setQuality,
  silence,
  TreeosError,
  type WorldReader,
} from '@treeos/sdk'
import { z } from 'zod'
import {
  after,
  floorOf,
  isOpen,
  legalMoves,
  MOVES,
  type Move,
  type OtherDancers,
  othersOf,
  positionOf,
  SIDE_MAX,
  type Square,
  type Surroundings,
  square,
  surroundings,
  takenBy,
} from './floor.ts'

const layFloor = defineOperation({
  name: 'harmony:lay-floor',
  description: 'Lays a floor of squares in a space, with walls that nobody steps into.',
  on: 'space',
  allow: ['owner', 'operator'],
  args: z.object({
    width: z.number().int().min(1).max(SIDE_MAX).describe('squares from west to east'),
    height: z.number().int().min(1).max(SIDE_MAX).describe('squares from north to south'),
    walls: z.array(square).max(1000).default([]).describe('squares, {x, y} from the north-west'),
  }),
  decide: ({ target, args }) => ({ facts: [setQuality(target, 'harmony.floor', args)], result: args }),
})

const enter = defineOperation({
  name: 'harmony:enter',
  description: 'Puts a being on a square of the floor of its space.',
  on: 'being',
  allow: ['self', 'ancestor', 'operator'],
  args: z.object({ at: square.describe('{x, y} from the north-west') }),
  async decide({ target, args, world }) {
    if (!isOpen(await floorOf(target, world), args.at)) {
      const { x, y } = args.at
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `square ${x},${y} of ${target.space} is a wall or off the floor`,
      )
    }
    const dancer = takenBy(args.at, await othersOf(target, world))
    if (dancer !== null)
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `square ${args.at.x},${args.at.y} of ${target.space} is taken by ${dancer}`,
      )
    return { facts: [setQuality(target, 'harmony.position', args.at)], result: { at: args.at } }
  },
})

const step = defineOperation({
  name: 'harmony:step',
  description: 'Goes one square on the floor, or stays; also stays where another dancer holds the square.',
  on: 'being',
  allow: ['self'],
  args: z.object({ direction: z.enum(MOVES).describe('where to') }),
  async decide({ target, args, world }) {
    const floor = await floorOf(target, world)
    const position = positionOf(target)
    if (position === null)
      throw new TreeosError('INVALID_INPUT', `@${target.name} is not on the floor: harmony:enter`)
    const legal = legalMoves(floor, position)
    if (!legal.includes(args.direction)) {
      const { x, y } = position
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `${args.direction} of ${x},${y} is a wall or off the floor; legal moves: ${legal.join(', ')}`,
      )
    }
    const at = after(position, args.direction)
    // On one beat several go at once: the first one has the square, and the others decide again and find it taken.
    const dancer = takenBy(at, await othersOf(target, world))
    if (dancer !== null)
      return {
        facts: [recordFact(target, 'harmony:stayed', { at: position, before: dancer })],
        result: asJson({ at: position, taken: dancer }),
      }
    return { facts: [setQuality(target, 'harmony.position', at)], result: asJson({ at }) }
  },
})

/** Beats that one drumming takes at most, unless it goes on without an end. */
const BEATS_MAX = 1000

/** The last beat, and the one after which the drum falls silent. */
async function beatOf(world: WorldReader): Promise<{ readonly n?: number; readonly last?: number }> {
  const { tick = {} } = ((await world.world('harmony'))?.values ?? {}) as {
    tick?: { n?: number; last?: number }
  }
  return tick
}

const drum = defineOperation({
  name: 'harmony:drum',
  description:
    'Begins or ends the drumming: everyone dances while the drum is alive. With beats it ends by itself.',
  on: 'space',
  allow: ['owner', 'operator'],
  args: z.object({
    alive: z.boolean().describe('whether the drum is alive'),
    beats: z
      .number()
      .int()
      .min(1)
      .max(BEATS_MAX)
      .optional()
      .describe('beats after which it ends; none when left out'),
  }),
  async decide({ args, world }) {
    const { n = 0 } = await beatOf(world)
    const last = args.alive && args.beats !== undefined ? n + args.beats : null
    return {
      facts: [publishSignal('harmony.tick.last', last), publishSignal('harmony.tick.alive', args.alive)],
      result: args,
    }
  },
})

const tick = defineOperation({
  name: 'harmony:tick',
  description: 'Beats the drum once.',
  on: 'space',
  allow: ['anyone'], // only the drummer's role holds this operation
  async decide({ world }) {
    const { n: before = 0, last } = await beatOf(world)
    if (last !== undefined && before >= last)
      return { facts: [publishSignal('harmony.tick.alive', false)], result: { n: before } }
    const n = before + 1
    return { facts: [publishSignal('harmony.tick.n', n)], result: { n } }
  },
})

const drummer = defineRole({
  name: 'harmony:drummer',
  canDo: ['harmony:tick'],
  canSummon: [{ rel: 'asker' }],
  prose: 'answers',
  selfContinue: 'until-answered',
  prompt: 'You are the drum. Beat it once.',
})
const dancer = defineRole({
  name: 'harmony:dancer',
  canSee: [{ rel: 'here' }, { rel: 'present' }],
  canDo: ['harmony:step'],
  canSummon: [{ rel: 'asker' }],
  prose: 'answers',
  selfContinue: 'until-answered',
  see: ['harmony:neighbors', 'harmony:others'],
  views: 'only', // it steps at every tick
  prompt: ({ me }) =>
    `You are ${me.name}, dancing. On each beat take one step of legalMoves: towards the others, but onto a square that is empty. ` +
    'If there is none, STAY.',
})
const resting = defineRole({
  name: 'harmony:resting',
  canSummon: [{ rel: 'asker' }],
  prose: 'answers',
  prompt: 'The drum is silent. You rest.',
})

/** Flow of a dancer: it wakes on each beat while the drum is alive, without any summon. */
export const dancing: RoleFlow = [
  {
    when: { 'world.harmony.tick.alive': true, 'world.harmony.tick.n': { present: true } },
    role: 'harmony:dancer',
  },
  { role: 'harmony:resting' },
]
const drumming: RoleFlow = [
  { when: { 'world.harmony.tick.alive': true }, role: 'harmony:drummer' },
  { role: 'harmony:resting' },
]

/**
 * Beats after each silence; its act arms the next one. A wake by change does not beat. So a drum that is
 * silent rests.
 */
const beat: Script = ({ wake, primary, face }) => {
  const isAlive = primary === 'harmony:drummer'
  if (wake.kind === 'message')
    return answer(isAlive ? 'I beat, and all dance.' : 'I am silent, and all rest.')
  return isAlive && isSilence(wake.content) ? perform('harmony:tick', face.space.path) : silence
}

const isSilence = (content: Json): boolean =>
  typeof content === 'object' && content !== null && 'event' in content && content.event === 'idle'

/**
 * Takes the step onto an empty square that is nearest to the other dancers. Stays when there is none. Tells
 * whoever asks where it is.
 */
const dance: Script = ({ wake, primary, face }) => {
  if (wake.kind === 'message') return answer(whereabouts(primary, positionOf(face.me)))
  const seen = (name: string) => face.views.find((view) => view.name === name)?.view
  const around = seen('neighbors') as Surroundings | undefined
  const others = (seen('others') ?? {}) as OtherDancers
  const move = primary === 'harmony:dancer' && around !== undefined ? towards(around, others) : null
  if (move === null) return silence
  return perform('harmony:step', `@${face.me.name}`, { direction: move })
}

function whereabouts(primary: string, at: Square | null): string {
  const where = at === null ? 'beside the floor' : `on square ${at.x},${at.y}`
  return primary === 'harmony:dancer' ? `I dance, ${where}.` : `I rest, ${where}.`
}

function towards({ position, neighbors, legalMoves }: Surroundings, others: OtherDancers): Move | null {
  if (position === null) return null
  const distance = (move: Move) => {
    const { x, y } = after(position, move)
    return Object.values(others).reduce((sum, at) => sum + Math.hypot(at.x - x, at.y - y), 0)
  }
  const empty = legalMoves.filter((move) => move !== 'STAY' && neighbors[move] === 'empty')
  return empty.toSorted((a, b) => distance(a) - distance(b))[0] ?? 'STAY'
}

const born = (name: string, script: string, role: string, roleFlow: RoleFlow) => ({
  verb: 'be' as const,
  operation: 'birth',
  args: { name, cognition: 'scripted', script, role, roleFlow, home: '/floor' },
})
const entering = (being: string, at: Square) => ({
  verb: 'do' as const,
  operation: 'harmony:enter',
  target: `@${being}`,
  args: { at },
})
const BEAT_SECONDS = 2
/** Beats of the scene: about half a minute. */
const BEATS = 12

export default defineExtension({
  name: 'harmony',
  version: '0.0.0',
  roles: [drummer, dancer, resting],
  clauses: dancing,
  operations: [layFloor, enter, step, drum, tick],
  see: {
    'harmony:neighbors': async ({ me, world }) =>
      asJson(surroundings(await floorOf(me, world), positionOf(me), await othersOf(me, world))),
    'harmony:others': async ({ me, world }) => asJson(await othersOf(me, world)),
  },
  scripts: { 'harmony:beat': beat, 'harmony:dance': dance },
  signals: {
    'tick.alive': 'whether the drum beats',
    'tick.n': 'beats so far',
    'tick.last': 'the beat after which the drum falls silent',
  },
  minds: ['ada'],
  scene: [
    { verb: 'do', operation: 'create-space', target: '/', args: { path: '/floor', type: 'dance-floor' } },
    {
      verb: 'do',
      operation: 'harmony:lay-floor',
      target: '/floor',
      args: {
        width: 10,
        height: 10,
        walls: [
          { x: 4, y: 4 },
          { x: 4, y: 5 },
          { x: 5, y: 4 },
        ],
      },
    },
    born('drum', 'harmony:beat', 'harmony:resting', drumming),
    born('ada', 'harmony:dance', 'harmony:resting', dancing),
    born('bo', 'harmony:dance', 'harmony:resting', dancing),
    born('cyd', 'harmony:dance', 'harmony:resting', dancing),
    entering('ada', { x: 0, y: 0 }),
    entering('bo', { x: 9, y: 0 }),
    entering('cyd', { x: 0, y: 9 }),
    {
      verb: 'do',
      operation: 'set-being',
      target: '@drum',
      args: { field: 'wake.idle', value: BEAT_SECONDS },
    },
    { verb: 'do', operation: 'harmony:drum', target: '/floor', args: { alive: true, beats: BEATS } },
  ],
})
