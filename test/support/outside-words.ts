import { summon } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { digestOf, readRows } from '@treeos/store'
import { createSpace, doAs, momentOf, play, setFlow } from './life.ts'
import type { World } from './world.ts'

/** Says something to a puppet in words from outside, and waits for the end of its moment. */
export async function tellFromOutside(
  world: World,
  being: string,
  call: JsonObject,
  more: { readonly role?: string; readonly as?: string } = {},
) {
  const { correlation } = await summon(world, {
    ...{ target: being, content: { call }, as: 'operator', waitSeconds: null, outside: true },
    ...more,
  })
  return momentOf(world, correlation)
}

export const noting = (target: string, value: Json): JsonObject => ({
  verb: 'do',
  operation: 'set-space',
  target,
  args: { field: 'note.text', value },
})

/** The operator vouches for what is there now. */
export async function vouchFor(world: World, target: string, args: JsonObject = {}) {
  const reel = target.startsWith('@')
    ? `being:${target.slice(1)}`
    : target.startsWith('/')
      ? `space:${target}`
      : target
  const { role, namespace } = args
  const key = role !== undefined ? `role:${role}` : namespace !== undefined ? `world:${namespace}` : reel
  const [row] = await readRows(world.db, world.reality.id, [key])
  return doAs(world, 'vouch', target, { ...args, seen: digestOf(row?.state ?? null) })
}

/**
 * Moments with words from outside: a flow and rules that are careful, what they mark, and what a person
 * vouches for.
 */
export async function playWordsFromOutside(world: World): Promise<void> {
  await world.birthPuppet('envoy', { home: '/' })
  const anyone = { requires: ['anyone'] }
  const rules: Readonly<Record<string, JsonObject>> = {
    '/bureau': { ...anyone, outside: 'forbid' },
    '/tray': { ...anyone, outside: { ask: { who: ['operator'] } } },
    '/board': anyone,
  }
  for (const [place, rule] of Object.entries(rules)) {
    await createSpace(world, place)
    await doAs(world, 'set-space', place, { field: 'permissions.do', value: { 'set-space': rule } })
  }
  await setFlow(world, 'envoy', [
    { when: { 'moment.outside': true, 'moment.origins.being': true }, role: 'stage:mute' },
    { role: 'stage:free' },
  ])
  for (const place of Object.keys(rules)) await tellFromOutside(world, 'envoy', noting(place, 'as told'))
  await tellFromOutside(
    world,
    'envoy',
    { verb: 'summon', target: '@envoy', content: 'x' },
    { role: 'stage:mute' },
  )
  await play(world, 'envoy', noting('/bureau', 'mine'))
  await play(world, 'envoy', { verb: 'see', address: '/board' })
  await vouchFor(world, '/board')
  await play(world, 'envoy', noting('/board', 'mine'))
  const role = { name: 'told', canSee: [], canDo: [], canSummon: [], canBe: [], prompt: '' }
  await tellFromOutside(world, 'envoy', { verb: 'do', operation: 'set-role', target: '/', args: { role } })
}

/** Beings at and below a place in which one quality is marked: one sees it, and the other only the rules there. */
export async function playMarkedNote(world: World): Promise<void> {
  await vouchFor(world, '/', { role: 'told' }) // which mark of a role counts, no bundle tells
  await createSpace(world, '/stacks')
  await createSpace(world, '/stacks/desk')
  const anyone = { 'set-space': { requires: ['anyone'] } }
  await doAs(world, 'set-space', '/stacks', { field: 'permissions.do', value: anyone })
  await world.birthPuppet('keeper', { home: '/stacks' })
  await world.birthPuppet('clark', { home: '/stacks/desk' })
  await tellFromOutside(world, 'envoy', noting('/stacks', 'as told'))
  for (const being of ['keeper', 'clark']) await play(world, being, { verb: 'see', address: '~' })
}

/** A being that holds no words from outside, though a flow that is dryRun for it reads a marked namespace. */
export async function playDryRunOutside(world: World): Promise<void> {
  await world.birthPuppet('herald', { home: '/' })
  const news = { namespace: 'news', key: 'alarm', value: true }
  const doing = (operation: string, target: string, args: JsonObject) => ({
    verb: 'do',
    operation,
    target,
    args,
  })
  await tellFromOutside(world, 'herald', doing('set-world-signal', '/', news))
  await world.birthPuppet('squire', { home: '/', role: 'stage:seer' }) // its view is code, which may read anything
  const dryRun = [{ when: { 'world.news.alarm': true }, role: 'stage:mute' }]
  await doAs(world, 'set-being', '@squire', { field: 'shadow', value: dryRun })
  await play(world, 'squire', { verb: 'see', address: '@squire' })
}
