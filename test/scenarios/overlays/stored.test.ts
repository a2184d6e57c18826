import { deleteOverlay, overlays, setOverlay, setThreadOverlay, summon } from '@treeos/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectRefused } from '../../support/life.ts'
import { EdgeWorld } from '../../support/mcp.ts'

let at: EdgeWorld
beforeAll(async () => {
  at = await EdgeWorld.start()
})
afterEach(() => at.dismiss())
afterAll(() => at?.close())

/** The world, where this person sits. */
const as = (person: string) => ({ ...at.world, person })
const SECRET = 'the text of an overlay that no error quotes'

describe('stored overlays', () => {
  it('a person lists, sets and deletes those of its account, and lists them over MCP', async () => {
    const { world } = at
    const key = { as: 'ada', tier: 'account', name: 'tone' }
    const set = await setOverlay(as('ada'), key, { content: SECRET, appliesTo: ['moment'] })
    const entry = { tier: 'account', name: 'tone', scope: '@ada', content: SECRET, inForce: true }
    expect(set).toMatchObject({ ...entry, appliesTo: ['moment'], setBy: '@ada' })
    expect(await overlays(as('ada'), 'ada')).toMatchObject([entry])
    const ada = await at.asBeing('ada')
    expect(await ada.call('list_overlays')).toMatchObject({ value: { overlays: [entry] } })
    const bob = await at.asBeing('bob')
    expect(await bob.call('list_overlays')).toEqual({ isError: false, value: { overlays: [] } })
    await expectRefused(
      world,
      () => deleteOverlay(as('bob'), { ...key, as: 'bob' }),
      'INVALID_INPUT',
      'no overlay',
    )
    expect(await deleteOverlay(as('ada'), key)).toMatchObject({ deleted: true })
    expect(await overlays(as('ada'), 'ada')).toEqual([])
  })

  it('a program of the same person sets none, of its account or of a thread, and takes none away', async () => {
    const { world } = at
    const program = { ...world, isProgram: true as const }
    const key = { as: 'operator', tier: 'workspace', name: 'house' }
    const said = { target: 'kid', content: 'hello', as: 'operator', waitSeconds: null }
    const { correlation: thread } = await summon(world, said)
    const ofThread = { as: 'operator', thread, overlay: { content: SECRET } }
    const bob = await at.asBeing('bob')
    for (const name of ['set_overlay', 'delete_overlay'])
      expect(await bob.call(name, { tier: 'account', name: 'x', content: SECRET })).toMatchObject({
        value: { code: 'VERB_NOT_SUPPORTED' },
      })
    const refused = { code: 'FORBIDDEN', message: expect.stringContaining('a program sets no overlay') }
    await expect(setOverlay(program, key, { content: SECRET })).rejects.toMatchObject(refused)
    await expect(setThreadOverlay(program, ofThread)).rejects.toMatchObject(refused)
    // Control: its person does.
    await setOverlay(world, key, { content: SECRET })
    expect(await setThreadOverlay(world, ofThread)).toMatchObject({ by: 'operator' })
    await expect(deleteOverlay(program, key)).rejects.toMatchObject(refused)
    await expect(setThreadOverlay(program, { ...ofThread, overlay: null })).rejects.toMatchObject(refused)
    expect(await deleteOverlay(world, key)).toMatchObject({ deleted: true })
  })

  it.each([
    ...['call', 'thread'].map(
      (tier) =>
        ['it is never stored', 'operator', { tier, name: 'x' }, 'INVALID_INPUT', 'is never stored'] as const,
    ),
    [
      'the workspace is the operator’s',
      'ada',
      { tier: 'workspace', name: 'x' },
      'FORBIDDEN',
      'only the operator',
    ],
    [
      'a channel is of who spoke in it first',
      'ada',
      { tier: 'channel', name: 'quiet' },
      'FORBIDDEN',
      'channel',
    ],
    ['a being that a model drives sets none', 'kid', { tier: 'account', name: 'x' }, 'FORBIDDEN', 'kid'],
    ['a tier has a name', 'operator', { tier: 'world', name: 'x' }, 'INVALID_INPUT', 'the tier is'],
    [
      'a text is wanted',
      'operator',
      { tier: 'account', name: 'x', content: [SECRET] },
      'INVALID_INPUT',
      'text',
    ],
    [
      'a long text',
      'operator',
      { tier: 'account', name: 'x', content: SECRET.repeat(300) },
      'PAYLOAD_TOO_LARGE',
      'bytes',
    ],
    [
      'Signatures have names',
      'operator',
      { tier: 'account', name: 'x', appliesTo: 'all' },
      'INVALID_INPUT',
      'appliesTo',
    ],
  ] as const)('refused, and no error quotes a text: %s', async (_why, setter, given, code, says) => {
    const { tier, name, ...overlay } = given as { tier: string; name: string }
    const refused = setOverlay(as(setter), { as: setter, tier, name }, { content: SECRET, ...overlay })
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(says) })
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining(SECRET) })
  })
})
