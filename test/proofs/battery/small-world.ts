/** A small world with some of everything that is recorded, and random moments in it. */
import { act, erasing, issueToken, takeLease } from '@treeos/client'
import { asJson, type BeingName, type JsonObject, taskQueueOf, type VerbCall } from '@treeos/core'
import { BEING_WORKFLOW, beingWorkflowId } from '@treeos/protocol'
import { defineExtension, defineOperation, setQuality } from '@treeos/sdk'
import { sql } from 'kysely'
import type { Random } from '../../faults/random.ts'
import { createSpace, doAs, live, play, publish, setRole, tell, until } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import type { World } from '../../support/world.ts'

const sky = defineExtension({
  name: 'sky',
  version: '1.0.0',
  operations: [
    defineOperation({
      name: 'sky:look',
      description: 'Looks up.',
      on: 'being',
      allow: ['self'],
      effect: { timeoutSeconds: 20, attempts: 1, perform: async () => 'blue' },
      decide: ({ actor, effect }) => ({ facts: [setQuality(actor, 'sky.seen', effect)] }),
    }),
  ],
})

export const extensions = [stage, sky]

const PUPPETS = ['ann', 'ben', 'cat'] as const
/** A run of this being ends after so many events, so that it has several. */
const SHORT_RUN_EVENTS = 40

/**
 * Roles, a budget, a lease, a token, an effect, a watch, a role that was changed, a payload and a moment that
 * were erased.
 */
export async function begin(world: World): Promise<void> {
  await publish(world, 'bell.rings', false)
  await createSpace(world, '/hall')
  await setRole(world, { name: 'herald', canSummon: ['@ben'], prompt: 'Announce.' })
  await setRole(world, { name: 'herald', canSummon: ['@ben', '@cat'], prompt: 'Announce it loudly.' })
  const puppet = (name: string, more: JsonObject = {}) => world.birthPuppet(name, more)
  for (const name of PUPPETS) await puppet(name)
  await puppet('crier', {
    role: 'herald',
    roleFlow: [{ when: { 'world.bell.rings': true }, role: 'herald' }],
  })
  await puppet('driven')
  await world.birth({ name: 'mind', cognition: 'llm', role: 'stage:free' })
  await doAs(world, 'set-budget', '@mind', { tokens: 1_000_000, per: 'day' })
  await world.temporal.workflow.start(BEING_WORKFLOW, {
    workflowId: beingWorkflowId(world.reality.name, 'ann'),
    taskQueue: taskQueueOf(world.reality.name),
    args: [{ reality: world.reality.name, being: 'ann', historyEventsMax: SHORT_RUN_EVENTS }],
  })
  await live(world, 'mind', 'What do you see?')
  await play(world, 'ann', { verb: 'do', operation: 'sky:look', target: null, args: {} })
  await live(world, 'crier', 'nothing to do')
  await issueToken(world, { being: 'ben', as: 'operator' })
  const { n } = await play(world, 'cat', quality('secret', 'tiger-milk'))
  await play(world, 'cat', quality('secret', 'none'))
  const erase = async (what: string) => act(world, 'operator', await erasing(world.db, what, 'asked to'))
  await erase(`cat/1/${n}`)
  const [fact] = await world.db
    .selectFrom('fact')
    .select(['reel', 'seq'])
    .where('moment', '=', `cat/1/${n}`)
    .execute()
  await erase(`${fact?.reel}#${fact?.seq}`)
  await takeLease(world, { being: 'driven', as: 'operator' })
  // No sweep ends it meanwhile, and no expiry refuses it.
  await sql`update treeos.lease set expires = now() + interval '10 days'`.execute(world.owner)
  await act(world, 'driven', quality('mood', 'calm'))
  await atRest(world)
}

const quality = (name: string, value: string | number): VerbCall => ({
  verb: 'do',
  operation: 'set-being',
  target: null,
  args: { field: `${name}.is`, value },
})

let made = 0

/**
 * A few moments: a person summons a being, which acts, looks, fails, is refused, summons another one, or
 * stays silent.
 */
export async function liveOn(world: World, random: Random): Promise<void> {
  const being = random.pick(PUPPETS)
  made += 1
  const other = random.pick(PUPPETS.filter((name) => name !== being))
  const calls: readonly (JsonObject | VerbCall)[] = [
    quality(random.pick(['mood', 'weight', 'secret']), random.between(1, 1000)),
    { verb: 'summon', target: `@${other}`, content: { call: asJson(quality('said', made)) } },
    { verb: 'summon', target: '@operator', content: `are you there, ${made}?` },
    { verb: 'summon', content: `it is ${made}` },
    { verb: 'do', operation: 'create-space', target: '/hall', args: { path: `/hall/room-${made}` } },
    { verb: 'do', operation: 'sky:look', target: null, args: {} },
    { verb: 'see', address: '/' },
    { verb: 'do', operation: 'no-such-action', args: {} },
  ]
  const deed = random.between(0, calls.length + 3)
  const call = calls[deed]
  if (call !== undefined) await play(world, being, call)
  else if (deed === calls.length) await publish(world, 'bell.rings', made)
  else if (deed === calls.length + 1) await live(world, being, { throw: `dies ${made}` })
  else if (deed === calls.length + 2) await act(world, 'driven', quality('mood', made))
  else await live(world, being, `nothing to do ${made}`)
}

/** Summons several at once and does not wait. */
export async function liveAtOnce(world: World, random: Random): Promise<void> {
  const beings: BeingName[] = random.shuffled(PUPPETS)
  await Promise.all(
    beings.map((being) => tell(world, being, { call: asJson(quality('mood', random.between(1, 99))) })),
  )
}

/** Waits until no wake is left for anybody but persons. */
export async function atRest(world: World): Promise<void> {
  const isQuiet = async () => {
    const { rows } = await sql<{ open: number }>`
      select count(*)::integer as open from treeos.inbox i join treeos.projection p on p.key = 'being:' || i.being
      where i.closed_by is null and (i.claimed_by is not null or p.cognition <> 'human' or i.kind = 'act')`.execute(
      world.owner,
    )
    return rows[0]?.open === 0
  }
  await until(isQuiet, { seconds: 120, what: 'the end of all moments' })
}
