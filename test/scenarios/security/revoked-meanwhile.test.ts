import type { FactDraft, Json, JsonObject, VerbCall } from '@treeos/core'
import { lockHeads } from '@treeos/store'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { sabotage } from '../../faults/sabotage.ts'
import { appendWithRows } from '../../store/batch.ts'
import {
  createSpace,
  doAs,
  factsOf,
  momentOf,
  rowOf,
  setRole,
  tell,
  until,
  wakeUp,
} from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'
import type { World } from '../../support/world.ts'

const model = useModelServer()
const guarded = useWorld({ extensions: [stage], modelServer: model })
/** Its appends do not check the heads that a decision read. */
const unguarded = useWorld({ extensions: [stage] })

const permits = (value: Json): FactDraft => ({
  reel: 'space:/den',
  kind: 'quality:set',
  payload: { path: ['permissions', 'do'], value, merge: false },
})
const call = (operation: string, target: string, args: JsonObject): VerbCall => ({
  verb: 'do',
  operation,
  target,
  args,
})

interface Revocation {
  readonly what: string
  /** who acts: a puppet that may reach for everything */
  readonly who: string
  readonly call: VerbCall
  /** takes the right away */
  readonly revoke: FactDraft
  readonly reason: string
}

const ENDED = { kind: 'being:ended', payload: {} } as const
const REVOCATIONS: readonly Revocation[] = [
  {
    what: 'the actor was ended',
    who: 'fading',
    call: call('set-world-signal', '/', { namespace: 'late', key: 'x', value: 1 }),
    revoke: { reel: 'being:fading', ...ENDED },
    reason: 'BEING_ENDED',
  },
  {
    what: 'the being that it speaks to was ended',
    who: 'caller',
    call: { verb: 'summon', target: '@called', content: 'hi', inReplyTo: null },
    revoke: { reel: 'being:called', ...ENDED },
    reason: 'BEING_ENDED',
  },
  {
    what: 'the right to publish in a namespace was revoked',
    who: 'crier',
    call: call('set-world-signal', '/', { namespace: 'town', key: 'x', value: 2 }),
    revoke: { reel: 'world:town', kind: 'signal:revoked', payload: { namespace: 'town', being: 'crier' } },
    reason: 'FORBIDDEN',
  },
  {
    what: 'it is a contributor of the space no longer',
    who: 'builder',
    call: call('create-matter', '/site', { id: 'late' }),
    revoke: { reel: 'space:/site', kind: 'space:contributor-removed', payload: { being: 'builder' } },
    reason: 'FORBIDDEN',
  },
  {
    what: 'a rule of the space around permits it no longer',
    who: 'painter',
    call: call('set-space', '/den/nook', { field: 'ambient.tone', value: 'late' }),
    revoke: permits({ 'set-space': false }),
    reason: 'FORBIDDEN',
  },
  {
    what: 'a rule of the space around forbids it',
    who: 'walker',
    call: call('set-space', '/yard/nook', { field: 'ambient.tone', value: 'late' }),
    revoke: {
      reel: 'space:/yard',
      kind: 'quality:set',
      payload: {
        path: ['permissions', 'do'],
        value: { '*': { forbid: [{ role: 'stage:free' }] } },
        merge: false,
      },
    },
    reason: 'FORBIDDEN',
  },
]

/**
 * Has a being act, and takes its right away after the gates have let the act pass and before it is committed:
 * the append waits for the head that this transaction holds.
 */
async function revokeMeanwhile(world: World, { who, call, revoke }: Revocation) {
  const wake = await world.owner.transaction().execute(async (tx) => {
    await lockHeads(tx, [revoke.reel])
    const [wake] = await wakeUp(world, who, [{ call: call as unknown as JsonObject }])
    await until(() => waitsForLock(world), { what: 'an append that waits for the head' })
    await appendWithRows(tx, world.reality, [revoke])
    return wake as string
  })
  const moment = await momentOf(world, wake)
  const facts = await factsOf(world, who, moment.n)
  return { outcome: moment.outcome, reason: moment.reason ?? null, facts: facts.length }
}

async function waitsForLock({ owner }: World): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like '%treeos.append%') as waits`.execute(owner)
  return rows[0]?.waits === true
}

async function people(world: World): Promise<void> {
  for (const path of ['/den', '/den/nook', '/site', '/yard', '/yard/nook']) await createSpace(world, path)
  const puppets = [...REVOCATIONS.map(({ who }) => who), 'called']
  for (const name of puppets) await world.birthPuppet(name)
  for (const space of ['/den', '/yard'])
    await doAs(world, 'set-space', space, { field: 'permissions.do', value: { 'set-space': true } })
  await doAs(world, 'add-contributor', '/site', { being: '@builder' })
  await doAs(world, 'set-world-signal', '/', { namespace: 'town', key: 'x', value: 1 })
  await doAs(world, 'grant-namespace', '/', { namespace: 'town', being: '@crier' })
}

describe('a right that is revoked while an act is being committed', () => {
  beforeAll(async () => {
    await people(guarded)
    await people(unguarded)
    await sabotage(unguarded.owner, 'unheld-append')
  })

  it.each(REVOCATIONS)('refuses it: $what', async (revocation) => {
    expect(await revokeMeanwhile(guarded, revocation)).toEqual({
      outcome: 'failure',
      reason: revocation.reason,
      facts: 0,
    })
  })

  // An act on the reel of the revocation fails without the check too: another fact has its number.
  const elsewhere = REVOCATIONS.filter(({ who }) => who !== 'crier' && who !== 'builder')
  it.each(elsewhere)(
    'control: without the check of heads the act is committed: $what',
    async (revocation) => {
      expect(await revokeMeanwhile(unguarded, revocation)).toEqual({ outcome: 'act', reason: null, facts: 1 })
    },
  )
})

describe('a role that is changed or deleted while its wearer thinks', () => {
  it('counts as it was when the moment opened, and is gone in the next', async () => {
    await setRole(guarded, { name: 'guest', canDo: ['move'], canSee: [{ pattern: '*' }], prompt: '' })
    await guarded.birth({ name: 'thinker', cognition: 'llm', role: 'guest' })
    let answer: () => void = () => undefined
    const move = { tool: { name: 'do', args: { operation: 'move', target: '/library', args: {} } } }
    const thinking = new Promise<void>((begun) => {
      model.script(async () => {
        begun()
        await new Promise<void>((done) => {
          answer = done
        })
        return move
      })
    })
    const asked = await tell(guarded, 'thinker', 'go to the library')
    await thinking
    await setRole(guarded, { name: 'guest', canDo: [], prompt: '' })
    answer()
    expect(await momentOf(guarded, asked)).toMatchObject({ outcome: 'act' })
    expect((await rowOf(guarded, 'thinker')).space).toBe('/library')
    model.script(() => ({ tool: { name: 'do', args: { operation: 'move', target: '/', args: {} } } }))
    const next = await momentOf(guarded, await tell(guarded, 'thinker', 'come back'))
    expect(next).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    model.reset()
  })
})

it('every chain is whole', () => expectUnbroken(guarded))
