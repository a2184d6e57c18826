import { type JsonObject, newWake, PRIORITIES } from '@treeos/core'
import { expect, it } from 'vitest'
import { actingIn } from '../../test/gate-inputs.ts'
import { type ActInputs, decideCall } from '../../test/inside.ts'
import { born, MemoryWorld } from '../../test/memory-world.ts'

const RECORDED = 'a'.repeat(64)
const GIVEN = 'b'.repeat(64)
const NAMED = { moment: 'kid/1/3', recorded: RECORDED, given: GIVEN }
const LISTS = { canSee: [], canDo: ['accept-difference'], canSummon: [], canBe: [] }

/**
 * @param by a maker of @kid, or whoever else acts; each by an act of its own, unless `more` says otherwise
 */
function accept(args: JsonObject, by = 'operator', more: Partial<ActInputs> = {}) {
  const world = new MemoryWorld()
  world.write('operator', [born('kid', 'operator'), born('grand', 'kid'), born('other', 'operator')].flat())
  const own: Partial<ActInputs> = {
    caller: { name: by, role: null, cognition: 'human' },
    wake: newWake({ id: 'act/1', being: by, kind: 'act', priority: PRIORITIES.human, content: null }),
  }
  const call = { verb: 'do', operation: 'accept-difference', target: '@kid', args } as const
  return decideCall(call, { ...actingIn(world, by, LISTS), ...own, ...more })
}

it.each<[string, JsonObject, JsonObject]>([
  ['both digests', NAMED, NAMED],
  ['no stack in the record', { moment: 'kid/1/3', given: GIVEN }, { ...NAMED, recorded: null }],
  ['no stack on either side', { moment: 'kid/1/3' }, { moment: 'kid/1/3', recorded: null, given: null }],
])(
  'a person accepts a difference of %s, and its fact keeps moment and digests',
  async (_of, args, payload) => {
    expect(await accept(args)).toMatchObject({
      facts: [{ reel: 'being:kid', kind: 'being:difference-accepted', payload }],
    })
  },
)

it.each<[string, JsonObject, string]>([
  ['the same stack twice', { ...NAMED, given: RECORDED }, 'are the same stack'],
  ['a moment of another being', { ...NAMED, moment: 'grand/1/3' }, 'a moment of @kid'],
  ['what is no moment', { ...NAMED, moment: 'kid/3' }, 'the id of a moment'],
  ['a text that is not a digest', { ...NAMED, given: 'b' }, 'the digest of a stack'],
])('%s is refused', async (_what, args, says) => {
  await expect(accept(args)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining(says),
  })
})

it.each<[string, string, Partial<ActInputs>]>([
  ['a mind', 'operator', { caller: { name: 'operator', role: null, cognition: 'llm' } }],
  [
    'a person whose wake is no act of its own',
    'operator',
    {
      wake: newWake({ id: 'w', being: 'operator', kind: 'event', priority: PRIORITIES.human, content: null }),
    },
  ],
  [
    'an act whose words came from outside',
    'operator',
    {
      wake: {
        ...newWake({
          id: 'act/1',
          being: 'operator',
          kind: 'act',
          priority: PRIORITIES.human,
          content: null,
        }),
        outside: true,
      },
    },
  ],
  ['a person who is no maker of it', 'other', {}],
])('%s accepts nothing', async (_who, by, more) => {
  await expect(accept(NAMED, by, more)).rejects.toMatchObject({ code: 'FORBIDDEN' })
})
