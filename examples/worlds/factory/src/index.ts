import {
  answer,
  type Decision,
  defineExtension,
  defineOperation,
  defineRole,
  type Json,
  perform,
  publishSignal,
  type RoleFlow,
  recordFact,
  type Script,
  type ScriptInput,
  type SpaceRow,
  setQuality,
  silence,
  TreeosError,
  tell,
  type WorldReader,
} from '@treeos/sdk'
import { z } from 'zod'

const HALL = 'factory:hall'
/** The line breaks when this many defects are open. */
const OPEN_DEFECTS_MAX = 2
/** Decks that fit on the conveyor. The lathe waits while it is full. */
const DECKS_MAX = 5

const natural = z.number().int().min(0)
const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`
/** Boards that one order takes at most. */
const ORDER_MAX = 1000
/**
 * Decks on the conveyor, boards made, defects found so far, defects still open, and boards of the order still
 * to be made.
 */
const stock = z.object({
  decks: natural,
  boards: natural,
  found: natural,
  open: natural,
  ordered: natural.optional(),
})
type Stock = z.infer<typeof stock>
type Dashboard = Stock & { line: string; broken: boolean }

/** Qualities can be set by hand to anything, so a malformed stock counts as an empty one. */
const stockOf = ({ qualities }: SpaceRow): Stock =>
  z.object({ stock }).safeParse(qualities.factory).data?.stock ?? { decks: 0, boards: 0, found: 0, open: 0 }

async function dashboardOf(space: SpaceRow, world: WorldReader): Promise<Dashboard> {
  const { line, broken } = ((await world.world('factory'))?.values ?? {}) as { line?: Json; broken?: Json }
  return { ...stockOf(space), line: line === 'running' ? line : 'stopped', broken: broken === true }
}

/**
 * @throws {TreeosError} INVALID_TYPE for another type of space; RESOURCE_CONFLICT while the line is broken or
 *   stopped
 */
async function runningIn(space: SpaceRow, world: WorldReader): Promise<Dashboard> {
  requireFactory(space)
  const dashboard = await dashboardOf(space, world)
  if (dashboard.broken)
    throw new TreeosError('RESOURCE_CONFLICT', `the line of ${space.path} is broken: factory:repair mends it`)
  if (dashboard.line !== 'running')
    throw new TreeosError('RESOURCE_CONFLICT', `the line of ${space.path} is stopped: factory:run starts it`)
  return dashboard
}

function requireFactory({ path, type }: SpaceRow): void {
  if (type !== HALL) throw new TreeosError('INVALID_TYPE', `${path} is a ${type}, not a factory`)
}

const restock = (space: SpaceRow, change: Partial<Stock>) =>
  setQuality(space, 'factory.stock', { ...stockOf(space), ...change })

const run = defineOperation({
  name: 'factory:run',
  description: 'Starts or stops the line. With an order it stops by itself.',
  on: 'space',
  allow: ['owner', 'operator'],
  args: z.strictObject({
    running: z.boolean().describe('whether the line runs'),
    order: z
      .number()
      .int()
      .min(1)
      .max(ORDER_MAX)
      .optional()
      .describe('boards after which the line stops; none when left out'),
  }),
  decide({ target, args: { running, order } }) {
    requireFactory(target)
    const { ordered: _before, ...rest } = stockOf(target)
    const now = order === undefined || !running ? rest : { ...rest, ordered: order }
    return {
      facts: [
        setQuality(target, 'factory.stock', now),
        publishSignal('factory.line', running ? 'running' : 'stopped'),
      ],
      result: { running, ...(order === undefined ? {} : { order }) },
    }
  },
})

// Only the roles of the workers and the supervisor hold the operations below, so the space allows anyone.
const operateLathe = defineOperation({
  name: 'factory:operate-lathe',
  description: 'Turns one deck, which goes onto the conveyor.',
  on: 'space',
  allow: ['anyone'],
  async decide({ target, world }) {
    const decks = (await runningIn(target, world)).decks + 1
    if (decks > DECKS_MAX)
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `${DECKS_MAX} decks are on the conveyor of ${target.path}, it takes no more`,
      )
    return { facts: [restock(target, { decks })], result: { decks } }
  },
})

const attachTrucks = defineOperation({
  name: 'factory:attach-trucks',
  description: 'Makes a board of one deck from the conveyor.',
  on: 'space',
  allow: ['anyone'],
  async decide({ actor, target, world }) {
    const { decks, boards, ordered } = await runningIn(target, world)
    if (decks === 0)
      throw new TreeosError('RESOURCE_CONFLICT', `no deck is on the conveyor of ${target.path}`)
    const board = boards + 1
    const left = ordered === undefined ? {} : { ordered: Math.max(0, ordered - 1) }
    return {
      facts: [
        restock(target, { decks: decks - 1, boards: board, ...left }),
        recordFact(target, 'factory:made', { board, by: actor.name }),
        ...(left.ordered === 0 ? [publishSignal('factory.line', 'stopped')] : []),
      ],
      result: { board },
    }
  },
})

const logDefect = defineOperation({
  name: 'factory:log-defect',
  description: 'Notes a defect. When too many are open the line breaks.',
  on: 'space',
  allow: ['anyone'],
  args: z.strictObject({ what: z.string().min(1).max(200).describe('what is wrong, and with which board') }),
  async decide({ actor, target, args, world }) {
    const { found, open } = await runningIn(target, world)
    const breaks = open + 1 >= OPEN_DEFECTS_MAX
    return {
      facts: [
        restock(target, { found: found + 1, open: open + 1 }),
        recordFact(target, 'factory:defect', { what: args.what, by: actor.name }),
        ...(breaks ? [publishSignal('factory.broken', true)] : []),
      ],
      result: { open: open + 1, broken: breaks },
    }
  },
})

const repair = defineOperation({
  name: 'factory:repair',
  description: 'Mends all open defects, and with them the line.',
  on: 'space',
  allow: ['anyone'],
  async decide({ target, world }) {
    requireFactory(target)
    const { open, broken } = await dashboardOf(target, world)
    if (!broken && open === 0)
      throw new TreeosError('RESOURCE_CONFLICT', `nothing is to be mended in ${target.path}`)
    return {
      facts: [
        restock(target, { open: 0 }),
        recordFact(target, 'factory:repaired', { defects: open }),
        ...(broken ? [publishSignal('factory.broken', null)] : []),
      ],
      result: { mended: open },
      reply: `The line runs again: ${count(open, 'defect')} mended.`,
    }
  },
})

/** Makes boards while the line runs. May call the supervisor. Cannot start, stop or repair the line. */
const worker = defineRole({
  name: 'factory:worker',
  canSee: ['~', { rel: 'here' }],
  canDo: ['factory:operate-lathe', 'factory:attach-trucks', 'factory:log-defect'],
  canSummon: ['@supervisor', { rel: 'asker' }],
  see: ['factory:dashboard'],
  prose: 'answers',
  selfContinue: 'until-answered',
  prompt: ({ me }) =>
    `You are ${me.name}, on the line of SkateCo's factory. Do the one thing that your station needs next; log what is not right.`,
})
const halted = defineRole({
  name: 'factory:halted',
  canSee: ['~', { rel: 'here' }],
  canSummon: ['@supervisor', { rel: 'asker' }],
  see: ['factory:dashboard'],
  prose: 'answers',
  prompt: 'The line is broken and nothing can be made. See that the supervisor knows.',
})
const resting = defineRole({
  name: 'factory:resting',
  canSee: ['~', { rel: 'here' }],
  canSummon: [{ rel: 'asker' }],
  see: ['factory:dashboard'],
  prose: 'answers',
  prompt: 'Nothing is to be done at your station.',
})
const supervisor = defineRole({
  name: 'factory:supervisor',
  canSee: ['~', { rel: 'here' }],
  canDo: ['factory:repair'],
  canSummon: [{ rel: 'asker' }],
  see: ['factory:dashboard'],
  prose: 'answers',
  selfContinue: 'until-answered',
  prompt: 'You supervise the line. Have it mended when it is broken, and tell whoever asks how it goes.',
})

/**
 * Flow of a being at one station: its role follows the factory's signals.
 * @param busy conditions under which the station has work
 */
const station = (busy: Extract<RoleFlow[number]['when'], object>): RoleFlow => [
  { when: { 'world.factory.broken': true }, role: 'factory:halted' },
  { when: { ...busy, 'world.factory.line': 'running' }, role: 'factory:worker' },
  { role: 'factory:resting' },
]
export const working = station({})

const dashboardSeen = (views: readonly { name: string; view: Json }[]): Dashboard | undefined =>
  views.find(({ name }) => name === 'dashboard')?.view as Dashboard | undefined
/** What whoever works here tells a being that asks. */
function told({ line, broken, boards, open }: Dashboard): string {
  const state = broken ? 'broken' : line
  return `The line is ${state}: ${count(boards, 'board')} made, ${count(open, 'defect')} open.`
}
/** The answer of a station to a message; null where something else woke it. */
const toldAt = (station: string, { wake, face }: ScriptInput): Decision | null => {
  if (wake.from === null || wake.kind !== 'message') return null
  const dashboard = dashboardSeen(face.views)
  return answer(`I am at ${station}. ${dashboard === undefined ? 'No line is here.' : told(dashboard)}`)
}
const eventOf = (content: Json): Json =>
  typeof content === 'object' && content !== null && 'event' in content ? (content.event ?? null) : null

/**
 * Turns a deck after each second of silence, unless the conveyor is full or holds all that is ordered. Its
 * act arms the next silence; else the lathe rests until something changes that its flow reads.
 */
const lathe: Script = (at) => {
  const { wake, primary, face } = at
  const said = toldAt('the lathe', at)
  if (said !== null) return said
  const { decks = DECKS_MAX, ordered = DECKS_MAX } = dashboardSeen(face.views) ?? {}
  const isTime = eventOf(wake.content) === 'idle' && decks < Math.min(DECKS_MAX, ordered)
  return primary === 'factory:worker' && isTime ? perform('factory:operate-lathe', face.space.path) : silence
}

/** Makes a board of each deck on the conveyor. */
const trucks: Script = (at) => {
  const said = toldAt('the trucks', at)
  if (said !== null) return said
  const { primary, face } = at
  return primary === 'factory:worker' && (dashboardSeen(face.views)?.decks ?? 0) > 0
    ? perform('factory:attach-trucks', face.space.path)
    : silence
}

/** In this scene one board in this many has a defect. */
const BOARDS_PER_DEFECT = 3

/** Inspects each board, and calls the supervisor when the line breaks. */
const inspect: Script = (at) => {
  const { wake, primary, face } = at
  const said = toldAt('the inspection', at)
  if (said !== null) return said
  if (eventOf(wake.content) !== 'changed') return silence
  if (primary === 'factory:halted') return tell('@supervisor', `the line of ${face.space.path} is broken`)
  const { boards = 0, found = 0 } = dashboardSeen(face.views) ?? {}
  const bad = (found + 1) * BOARDS_PER_DEFECT
  return primary === 'factory:worker' && boards >= bad
    ? perform('factory:log-defect', face.space.path, { what: `a truck of board ${bad} is askew` })
    : silence
}

/** Words for words; the numbers for a program, whose question is JSON. */
const said = (asked: Json, dashboard: Dashboard): Json =>
  typeof asked === 'string' ? told(dashboard) : dashboard

/** Repairs a broken line when summoned. Otherwise answers with the state of the line. */
const supervise: Script = ({ wake, face }) => {
  if (wake.from === null || wake.inReplyTo !== null) return silence
  const dashboard = dashboardSeen(face.views)
  return dashboard?.broken
    ? perform('factory:repair', face.space.path)
    : answer(dashboard === undefined ? 'No line is here.' : said(wake.content, dashboard))
}

/** A turn of the lathe. */
const TURN_SECONDS = 1
/** Boards that the scene makes: enough for the line to break once, and to go on after its repair. */
const ORDER = 8

const born = (name: string, script: string, role: string, roleFlow: RoleFlow) => ({
  verb: 'be' as const,
  operation: 'birth',
  args: { name, cognition: 'scripted', script, role, roleFlow, home: '/factory' },
})

export default defineExtension({
  name: 'factory',
  version: '0.0.0',
  roles: [worker, halted, resting, supervisor],
  clauses: working,
  operations: [run, operateLathe, attachTrucks, logDefect, repair],
  see: {
    'factory:dashboard': async ({ me, world }) => {
      const space = await world.space(me.space)
      return space?.type === HALL ? await dashboardOf(space, world) : null
    },
  },
  scripts: {
    'factory:lathe': lathe,
    'factory:trucks': trucks,
    'factory:inspect': inspect,
    'factory:supervise': supervise,
  },
  spaceTypes: { [HALL]: 'where a line stands' },
  signals: { line: 'running or stopped', broken: 'whether the line waits for the supervisor' },
  minds: ['supervisor'],
  scene: [
    { verb: 'do', operation: 'create-space', target: '/', args: { path: '/factory', type: HALL } },
    born('supervisor', 'factory:supervise', 'factory:supervisor', []),
    born(
      'lars',
      'factory:lathe',
      'factory:resting',
      station({ 'space.quality.factory.stock.decks': { lt: DECKS_MAX } }),
    ),
    born(
      'tess',
      'factory:trucks',
      'factory:resting',
      station({ 'space.quality.factory.stock.decks': { gt: 0 } }),
    ),
    born(
      'quinn',
      'factory:inspect',
      'factory:resting',
      station({ 'space.quality.factory.stock.boards': { gt: 0 } }),
    ),
    {
      verb: 'do',
      operation: 'set-being',
      target: '@lars',
      args: { field: 'wake.idle', value: TURN_SECONDS },
    },
    { verb: 'do', operation: 'factory:run', target: '/factory', args: { running: true, order: ORDER } },
  ],
})
