import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { EdgeWorld } from '../../support/mcp.ts'

let at: EdgeWorld
beforeAll(async () => {
  at = await EdgeWorld.start()
})
afterEach(() => at.dismiss())
afterAll(() => at?.close())

const SECRET = 'the text of an overlay that no error quotes'

describe('stored overlays over MCP', () => {
  it('a person lists, sets and deletes those of its account', async () => {
    const ada = await at.asBeing('ada')
    const key = { tier: 'account', name: 'tone' }
    const set = await ada.call('set_overlay', { ...key, content: SECRET, appliesTo: ['moment'] })
    const entry = { tier: 'account', name: 'tone', scope: '@ada', content: SECRET, inForce: true }
    expect(set).toMatchObject({ isError: false, value: { ...entry, appliesTo: ['moment'], setBy: '@ada' } })
    expect(await ada.call('list_overlays')).toMatchObject({ value: { overlays: [entry] } })
    const bob = await at.asBeing('bob')
    expect(await bob.call('list_overlays')).toEqual({ isError: false, value: { overlays: [] } })
    expect(await bob.call('delete_overlay', key)).toMatchObject({
      isError: true,
      value: { code: 'INVALID_INPUT' },
    })
    expect(await ada.call('delete_overlay', key)).toMatchObject({ isError: false, value: { deleted: true } })
    expect(await ada.call('list_overlays')).toEqual({ isError: false, value: { overlays: [] } })
  })

  it.each(['call', 'thread'])('the tier %s is refused, and said to be never stored', async (tier) => {
    const operator = await at.asBeing('operator')
    const refused = await operator.call('set_overlay', { tier, name: 'x', content: SECRET })
    expect(refused).toMatchObject({ isError: true, value: { code: 'INVALID_INPUT' } })
    expect(refused.value.message).toContain(`an overlay of a ${tier} is never stored`)
    expect(JSON.stringify(refused)).not.toContain(SECRET)
  })

  it.each([
    ['the workspace is the operator’s', 'ada', { tier: 'workspace', name: 'x' }, 'FORBIDDEN'],
    ['a channel is of who spoke in it first', 'ada', { tier: 'channel', name: 'quiet' }, 'FORBIDDEN'],
    ['a being that a model drives sets none', 'kid', { tier: 'account', name: 'x' }, 'FORBIDDEN'],
    ['a tier has a name', 'operator', { tier: 'world', name: 'x' }, 'INVALID_INPUT'],
    ['a text is wanted', 'operator', { tier: 'account', name: 'x', content: [SECRET] }, 'INVALID_INPUT'],
    [
      'a long text',
      'operator',
      { tier: 'account', name: 'x', content: SECRET.repeat(300) },
      'PAYLOAD_TOO_LARGE',
    ],
    ['Signatures have names', 'operator', { tier: 'account', name: 'x', appliesTo: 'all' }, 'INVALID_INPUT'],
    ['a misspelt argument', 'operator', { tier: 'account', name: 'x', contents: SECRET }, 'INVALID_INPUT'],
  ] as const)('refused, and no error quotes a text: %s', async (_why, being, given, code) => {
    const outside = await at.asBeing(being)
    const refused = await outside.call('set_overlay', { content: SECRET, ...given })
    expect(refused).toMatchObject({ isError: true, value: { code } })
    expect(JSON.stringify(refused)).not.toContain(SECRET)
  })
})
