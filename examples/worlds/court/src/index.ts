import {
  answer,
  type BeingRow,
  defineExtension,
  defineOperation,
  defineRole,
  perform,
  publishSignal,
  type RoleFlow,
  recordFact,
  type Script,
  type SpaceRow,
  setQuality,
  silence,
  TreeosError,
  type WakeView,
} from '@treeos/sdk'
import { z } from 'zod'

const ROOM = 'court:room'

/** Sittings are in court rooms. @throws {TreeosError} INVALID_TYPE */
function requireCourtroom(operation: string, { path, type }: SpaceRow): void {
  if (type !== ROOM)
    throw new TreeosError(
      'INVALID_TYPE',
      `${operation} takes a space of type ${ROOM}; ${path} is of type ${type}`,
    )
}

/**
 * Without this, a role of the court would reach into every court of the world.
 * @throws {TreeosError} FORBIDDEN
 */
function requireInside(operation: string, actor: BeingRow, { path }: SpaceRow): void {
  if (actor.space !== path)
    throw new TreeosError(
      'FORBIDDEN',
      `${operation} in ${path} is for beings inside; @${actor.name} is in ${actor.space}`,
    )
}

const convene = defineOperation({
  name: 'court:convene',
  description: `Opens a sitting in a space of type ${ROOM}: whoever presides there is the judge from now on.`,
  on: 'space',
  allow: ['owner', 'operator'],
  args: z.object({ case: z.string().min(1).max(200).describe('what is heard') }),
  decide({ target, args }) {
    requireCourtroom('court:convene', target)
    return {
      facts: [
        setQuality(target, 'court.case', args.case),
        recordFact(target, 'court:convened', { case: args.case }),
        publishSignal('court.in-session', true),
        ...calm(target),
      ],
      result: { case: args.case },
    }
  },
})

/** Whether a being goes on from a ruling to which a person has just said no, also after it tried once more. */
function isDenied({ kind, content }: WakeView): boolean {
  if (kind !== 'refused') return kind === 'denied'
  const { data } = refusedWake.safeParse(content)
  return data?.first.kind === 'event' && data.first.content.event === 'denied'
}
const refusedWake = z.object({
  first: z.object({ kind: z.string(), content: z.object({ event: z.string() }) }),
})

const rule = defineOperation({
  name: 'court:rule',
  description: `Decides the case that is heard, and ends the sitting. Only inside, in a space of type ${ROOM}.`,
  on: 'space',
  allow: ['anyone'], // only the judge's role holds this operation
  args: z.object({ ruling: z.string().min(1).max(2000).describe('the decision, with its reason') }),
  decide({ actor, target, args, wake }) {
    requireCourtroom('court:rule', target)
    requireInside('court:rule', actor, target)
    if (isDenied(wake))
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        'this ruling was just denied, and is not asked for again at once: tell whoever waits, and hear the case first',
      )
    return {
      facts: [
        recordFact(target, 'court:ruled', { case: caseOf(target.qualities), ruling: args.ruling }),
        setQuality(target, 'court.case', null),
        ...calm(target),
        publishSignal('court.in-session', false),
      ],
      result: { ruling: args.ruling },
      reply: args.ruling,
    }
  },
})

const disturb = defineOperation({
  name: 'court:disturb',
  description: `Makes a noise that everyone in the space hears, and of which every flow may read. Only inside, in a space of type ${ROOM}.`,
  on: 'space',
  allow: ['anyone'],
  args: z.object({ noise: z.string().min(1).max(200).describe('what is heard') }),
  decide({ actor, target, args }) {
    requireCourtroom('court:disturb', target)
    requireInside('court:disturb', actor, target)
    return {
      facts: [
        setQuality(target, 'court.disturbance', { by: `@${actor.name}`, noise: args.noise }),
        publishSignal('court.recent-disturbance', true),
      ],
      result: { noise: args.noise },
    }
  },
})

const hush = defineOperation({
  name: 'court:hush',
  description: `Ends a disturbance by a call for silence. Only inside, in a space of type ${ROOM}.`,
  on: 'space',
  allow: ['anyone'], // only the judge's role holds this operation
  decide({ actor, target }) {
    requireCourtroom('court:hush', target)
    requireInside('court:hush', actor, target)
    return { facts: calm(target), reply: 'Silence in the court! Then speak again.' }
  },
})

/** Nothing disturbs the court any more. */
const calm = (room: SpaceRow) => [
  setQuality(room, 'court.disturbance', null),
  publishSignal('court.recent-disturbance', null),
]

const caseOf = (qualities: Readonly<Record<string, unknown>>): string | null => {
  const { case: heard } = (qualities.court ?? {}) as { case?: unknown }
  return typeof heard === 'string' ? heard : null
}

/**
 * Presides over one sitting. May rule, call for silence and answer the asker. Cannot convene a sitting, make beings or write
 * roles.
 */
const judge = defineRole({
  name: 'court:judge',
  canSee: ['~'],
  canDo: ['court:rule', 'court:hush'],
  canSummon: [{ rel: 'asker' }],
  see: ['court:case'],
  prose: 'answers',
  selfContinue: 'until-answered',
  prompt: ({ me }) =>
    `You are ${me.name}, the judge of this sitting. Hear whoever speaks, then rule once. Denied a ruling, say so and do not rule again.`,
})
const watcher = defineRole({
  name: 'court:watcher',
  canSee: ['~'],
  canDo: ['court:disturb'],
  canSummon: [{ rel: 'asker' }],
  see: ['court:case'],
  prose: 'answers',
  selfContinue: 'until-answered',
  prompt: 'You sit in the court and watch. Nothing is yours to decide here.',
})
const startled = defineRole({
  name: 'court:startled',
  prompt: 'Somebody has just disturbed the court. Notice it, and go on with composure.',
})

/** A judge after its sitting: looks inward, at what it ruled and said, and at nothing of the court. */
const reflecting = defineRole({
  name: 'court:reflecting',
  canSummon: [{ rel: 'asker' }],
  prose: 'answers',
  defaultOrientation: 'inward',
  prompt:
    'Your sitting is over. Look at what you ruled and how you came to it, and say what you would do again and what not.',
})
/** Weighs who is to preside next: sees the court, and what came of what it asked of those who are in it. */
const ruler = defineRole({
  name: 'court:ruler',
  canSee: ['~'],
  canSummon: [{ rel: 'asker' }, { rel: 'any-child' }],
  see: ['court:case'],
  prose: 'answers',
  defaultOrientation: 'half',
  prompt:
    'You rule this court, and somebody is to follow you. Weigh each who is here by what came of what you asked of them, not by what they say of themselves.',
})

/** Flow of a presiding being: a judge while the court sits, else a watcher. */
export const presiding: RoleFlow = [
  { when: { 'space.name': 'court', 'world.court.in-session': true }, role: 'court:judge' },
  { when: { 'space.name': 'court' }, role: 'court:watcher' },
  { stack: true, when: { 'space.quality.court.disturbance': { present: true } }, role: 'court:startled' },
]
/**
 * The same for one who looks back: its first moment after a sitting in which it was the judge is turned
 * inward.
 */
export const retiring: RoleFlow = [
  {
    when: { 'space.name': 'court', 'world.court.in-session': false, 'me.previousRole': 'court:judge' },
    role: 'court:reflecting',
  },
  ...presiding,
]
/** Flow of a visitor: never a judge. */
export const watching: RoleFlow = presiding.filter(({ role }) => role !== 'court:judge')

/**
 * A scripted judge. Rules in favour of the last speaker; while it only watches, says that the court does not
 * sit.
 */
const gavel: Script = ({ wake, primary, stacked, face }) => {
  if (wake.from === null || wake.inReplyTo !== null) return silence
  const heard = caseOf(face.space.qualities)
  if (wake.kind === 'denied' || wake.kind === 'expired')
    return answer(`I may not rule in the case of ${heard ?? 'nobody'} yet: nobody agreed to my ruling.`)
  if (primary !== 'court:judge') return answer('The court does not sit.')
  if (stacked.includes('court:startled')) return perform('court:hush', face.space.path)
  return perform('court:rule', face.space.path, {
    ruling: `In the case of ${heard ?? 'nobody'}: as ${wake.from} says.`,
  })
}

/** Keeps the door: tells whoever asks what is heard. */
const door: Script = ({ wake, face }) => {
  if (wake.kind !== 'message') return silence
  const heard = caseOf(face.space.qualities)
  return answer(
    heard === null ? 'The court does not sit.' : `The court sits, and hears the case of ${heard}.`,
  )
}

export default defineExtension({
  name: 'court',
  version: '0.0.0',
  roles: [judge, watcher, startled, reflecting, ruler],
  clauses: presiding,
  operations: [convene, rule, disturb, hush],
  see: {
    'court:case': async ({ me, world }) => {
      const heard = caseOf((await world.space(me.space))?.qualities ?? {})
      return heard === null ? null : { heard }
    },
  },
  scripts: { 'court:gavel': gavel, 'court:door': door },
  spaceTypes: { [ROOM]: 'where sittings are held' },
  signals: {
    'in-session': 'whether a court sits',
    'recent-disturbance':
      'true from a disturbance until the judge calls for silence, rules, or a new sitting',
  },
  hooks: {
    'court:sittings': { field: 'world.court.in-session', scope: 'everywhere', equals: true },
  },
  minds: ['solomon'],
  scene: [
    { verb: 'do', operation: 'create-space', target: '/', args: { path: '/court', type: ROOM } },
    {
      verb: 'be',
      operation: 'birth',
      args: {
        name: 'solomon',
        cognition: 'scripted',
        script: 'court:gavel',
        role: 'court:watcher',
        home: '/court',
        roleFlow: presiding,
      },
    },
    {
      verb: 'be',
      operation: 'birth',
      args: {
        name: 'bailiff',
        cognition: 'scripted',
        script: 'court:door',
        role: 'court:watcher',
        home: '/court',
        roleFlow: watching,
      },
    },
    { verb: 'do', operation: 'court:convene', target: '/court', args: { case: 'the two mothers' } },
  ],
})
