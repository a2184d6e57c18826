/**
 * What the owner of the database changed, used and put back. Nothing that is stored shows it, so `verify`
 * finds nothing; replay judges each recorded call again from the facts, and names the moment.
 */

import { type ReplayReport, replay } from '@treeos/replay'
import { refoldAll } from '@treeos/store'
import { FOLD } from '@treeos/world'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cutOff, tamper } from '../../store/tampered-chains.ts'
import { createSpace, doAs, live, momentOf, play, ring, tell } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { brokenIn, openReplayer } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })
const puppet = (name: string, more = {}) => world.birthPuppet(name, more)

beforeAll(async () => {
  await createSpace(world, '/open')
  await createSpace(world, '/shut')
  const rule = (target: string, value: boolean) =>
    doAs(world, 'set-space', target, { field: 'permissions.do.create-space', value })
  await rule('/open', true)
  await rule('/shut', false)
  for (const name of ['ann', 'ben', 'cat', 'dan']) await puppet(name)
  for (const name of ['eve', 'hal'])
    await puppet(name, { ceiling: { canSee: ['~'], canDo: [], canSummon: [], canBe: [] } })
})

let rooms = 0
const builds = (being: string, target: string) => {
  rooms += 1
  const path = `${target}/room-${rooms}`
  return play(world, being, { verb: 'do', operation: 'create-space', target, args: { path } })
}
const replayed = (being: string): Promise<ReplayReport> => replay(world, { beings: [being], from: 'chain' })
const differing = async (being: string) => {
  const { mismatches } = await replayed(being)
  return mismatches.map(({ n, field, recorded, chain }) => ({ n, field, recorded, chain }))
}
const edit = (key: string, from: string, to: string) =>
  tamper(
    world,
    `update treeos.projection set state = replace(state, '${from}', '${to}') where key = '${key}'`,
  )

describe('a row that was changed, used and put back shows in replay', () => {
  beforeEach(async () => {
    expect(await brokenIn(world)).toEqual([])
  })
  /** The owner puts the rows back as their facts say: then verify finds nothing. */
  afterEach(async () => {
    await refoldAll(world.owner, FOLD)
    expect(await brokenIn(world)).toEqual([])
  })

  it('control: what nobody changed replays', async () => {
    expect(await builds('dan', '/open')).toMatchObject({ outcome: 'act' })
    expect(await builds('dan', '/shut')).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    expect(await live(world, 'dan', 'nothing to do')).toMatchObject({ outcome: 'see' })
    expect((await replayed('dan')).mismatches).toEqual([])
  })

  it('a rule that forbids: the act that it would have refused', async () => {
    await edit('space:/shut', '"create-space":false', '"create-space":true')
    const act = await builds('ann', '/shut')
    expect(act).toMatchObject({ outcome: 'act' })
    await refoldAll(world.owner, FOLD)
    expect(await brokenIn(world)).toEqual([])
    expect(await differing('ann')).toContainEqual({
      n: act.n,
      field: 'outcome',
      recorded: 'act',
      chain: 'failure',
    })
  })

  it('a rule that permits: the refusal of what it would have allowed', async () => {
    await edit('space:/open', '"create-space":true', '"create-space":false')
    const refused = await builds('ben', '/open')
    expect(refused).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    await refoldAll(world.owner, FOLD)
    expect(await brokenIn(world)).toEqual([])
    // Judged from the facts, it goes on to read whether there is such a room already.
    expect(await differing('ben')).toMatchObject([
      {
        n: refused.n,
        field: 'judged',
        recorded: 'FORBIDDEN',
        chain: expect.stringContaining('does not cite'),
      },
    ])
  })

  it('a list of what a being may do', async () => {
    expect(await builds('eve', '/open')).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    await edit('being:eve', '"canDo":[]', '"canDo":["create-space"]')
    const act = await builds('eve', '/open')
    expect(act).toMatchObject({ outcome: 'act' })
    await refoldAll(world.owner, FOLD)
    expect(await differing('eve')).toContainEqual({
      n: act.n,
      field: 'outcome',
      recorded: 'act',
      chain: 'failure',
    })
  })

  it('a list of whom a being may summon, in a thread that it names', async () => {
    const thread = await tell(world, 'hal', 'hello')
    await momentOf(world, thread)
    const says = (content: string) => play(world, 'hal', { verb: 'summon', target: '@cat', content, thread })
    expect(await says('before')).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    await edit('being:hal', '"canSummon":[]', '"canSummon":["@cat"]')
    const act = await says('meanwhile')
    expect(act).toMatchObject({ outcome: 'act' })
    await refoldAll(world.owner, FOLD)
    expect(await brokenIn(world)).toEqual([])
    const fields = (await differing('hal')).map(({ n, field, chain }) => ({ n, field, chain }))
    expect(fields).toContainEqual({ n: act.n, field: 'outcome', chain: 'failure' })
    expect(fields.filter(({ n }) => n !== act.n)).toEqual([])
  })

  it('control: a call about a thread that moved on since makes no difference', async () => {
    await world.birth({ name: 'pat', cognition: 'human', role: 'stage:free' })
    const thread = await tell(world, 'cat', 'hello')
    await momentOf(world, thread)
    const says = (being: string) =>
      play(world, being, { verb: 'summon', target: '@dan', content: 'so', thread })
    const told = [await says('cat'), await says('ben')] // the second one has no part in it yet
    expect(told.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['act', undefined],
      ['failure', 'FORBIDDEN'],
    ])
    await play(world, 'cat', { verb: 'summon', target: '@ben', content: 'you too', thread })
    await play(world, 'cat', { verb: 'summon', target: '@pat', content: 'and you', thread }) // stays open
    expect(await says('ben')).toMatchObject({ outcome: 'act' })
    await doAs(world, 'cut-thread', `thread:${thread}`, {})
    for (const being of ['cat', 'ben'])
      expect((await differing(being)).filter(({ n }) => n > 1 && n >= told[0]!.n)).toEqual([])
  })

  it('a call that other extensions judged than are loaded: replay names what they judge otherwise', async () => {
    await edit('space:/shut', '"create-space":false', '"create-space":true')
    const { n } = await builds('dan', '/shut')
    await refoldAll(world.owner, FOLD)
    const extensions = world.registry.extensions.map((one) => ({ ...one, version: '9.9.9' }))
    const at = { ...world, registry: { ...world.registry, extensions } }
    const other = await replay(at, { beings: ['dan'], from: 'chain' })
    expect(other).toMatchObject({ identical: true, otherCode: 1 })
    expect(other.elsewhere).toContainEqual(
      expect.objectContaining({ being: 'dan', n, field: 'outcome', recorded: 'act', chain: 'failure' }),
    )
    // control: with the extensions that judged then, it counts as a difference
    expect(await differing('dan')).toContainEqual({ n, field: 'outcome', recorded: 'act', chain: 'failure' })
    expect((await replayed('dan')).elsewhere).toBeUndefined()
  })

  it('a summon in the name of another, that cites what was said to somebody else', async () => {
    const said = await tell(world, 'cat', 'hello')
    await momentOf(world, said)
    await tamper(
      world,
      `insert into treeos.inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root, cause)
        select 'forged', 'cat', kind, priority, caller, caller_role, caller_cognition,
          convert_to('{"call":{"verb":"do","operation":"create-space","target":"/open","args":{"path":"/open/forged"}}}', 'UTF8'), 'forged', cause
        from treeos.inbox where id = '${said}'`,
    )
    await ring(world, 'cat')
    const act = await momentOf(world, 'forged')
    expect(act).toMatchObject({ outcome: 'act' })
    const fields = (await differing('cat')).map(({ n, field }) => `${n} ${field}`)
    expect(fields).toEqual([`${act.n} id`, `${act.n} content`, `${act.n} root`])
    await tamper(world, `delete from treeos.inbox where id = 'forged'`)
    expect((await differing('cat')).map(({ n, field }) => `${n} ${field}`)).toContain(`${act.n} id`)
  })
})

describe('the tail of all chains, cut off with heads and rows to match', () => {
  const lost = (all: ReplayReport) =>
    all.mismatches
      .filter(({ field, recorded }) => field === 'record' && recorded === null)
      .map(({ being, n }) => `${being} ${n}`)

  it('passes verify and replay from the chain; replay by Temporal names each being and moment', async () => {
    await puppet('fay')
    await builds('fay', '/open')
    const first = await builds('fay', '/open')
    await builds('fay', '/open')
    await puppet('gus')
    await builds('gus', '/open')
    const replayer = await openReplayer()
    const all = (from: 'chain' | 'both', beings: string[] | null = null) =>
      replay(world, { beings, from, replayer })
    expect(lost(await all('both'))).toEqual([])

    await cutOff(world, `fay/1/${first.n}`)
    await refoldAll(world.owner, FOLD)
    expect(await brokenIn(world)).toEqual([]) // the control: the chain alone does not show it
    expect((await all('chain', ['fay'])).mismatches).toEqual([])
    const missing = lost(await all('both'))
    expect(missing.filter((name) => !name.startsWith('operator'))).toEqual(['fay 2', 'fay 3', 'gus 1'])
    expect(lost(await all('both', ['gus']))).toEqual(['gus 1']) // of which the chain knows nothing any more
    await expect(all('chain', ['gus'])).rejects.toMatchObject({ code: 'BEING_NOT_FOUND' })
  })
})
