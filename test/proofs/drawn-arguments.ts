/** Arguments that are drawn for every operation. */
import type { Json, JsonObject } from '@treeos/core'
import { NAMES, type PartDrawer, SPACES, THINGS } from './drawn-parts.ts'
import { ANY } from './manor.ts'

/** By operation: what it is done to, and its arguments. */
export function drawnArguments(
  of: PartDrawer,
): Record<string, () => readonly [target: string | null, args: JsonObject]> {
  const { draw } = of
  const name = () => ({ name: of.mostly(['round', 'spy'], ['Bad Name']) })
  const hold = () => ({
    name: of.mostly(['case-1', 'audit'], ['Bad Name']),
    why: of.mostly<Json>(['a letter'], [7]),
  })
  const amount = () => of.mostly<Json>([0, 1, 5, 100, null], [-1])
  const self = () => draw.pick([null, `@${of.me.name}`, of.stance()])
  return {
    'create-space': () => {
      const path = draw.pick(SPACES)
      const target = draw.chance(0.8) ? path.slice(0, path.lastIndexOf('/')) || '/' : of.space()
      return [
        target,
        {
          path,
          ...(draw.chance(0.3) ? { size: of.size() } : {}),
          ...of.coord(),
          ...(draw.chance(0.2) ? { type: draw.pick(['court', 'manor:room', 'Bad']) } : {}),
        },
      ]
    },
    'set-space': () => [of.space(), draw.chance(0.75) ? of.rules() : of.quality()],
    'set-size': () => [of.space(), { size: of.size() }],
    'add-contributor': () => [of.space(), { being: of.stance() }],
    'remove-contributor': () => [of.space(), { being: of.stance() }],
    'create-matter': () => [
      draw.pick([null, of.space()]),
      {
        id: of.mostly(THINGS, ['Bad']),
        content: draw.pick<Json>(['text', null, { a: [1] }]),
        ...of.coord(),
      },
    ],
    'keep-file': () => [
      self(),
      {
        id: of.mostly(
          [`file-${'a'.repeat(32)}`, `file-${'b'.repeat(32)}`, `file-${'c'.repeat(32)}`],
          ['lamp'],
        ),
        digest: of.mostly(['d'.repeat(64)], ['D'.repeat(64)]),
        mediaType: of.mostly(['image/png', 'text/csv'], ['image', 'text/csv; x=1']),
        bytes: of.mostly<Json>([1, 33_554_432], [0, 33_554_433, 1.5]),
        name: of.mostly(
          ['a cat.png', 'ü\u{1f600}', 'n'.repeat(255)],
          ['a/b', 'n'.repeat(256), 'a\u0085b', ''],
        ),
      },
    ],
    'set-matter': () => [of.thing(), of.quality()],
    'write-matter': () => [
      of.thing(),
      draw.pick<JsonObject>([{ content: 'new' }, {}, { content: null }, { text: 'x' }]),
    ],
    'end-matter': () => [of.thing(), {}],
    take: () => [of.thing(), {}],
    put: () => [of.held(), of.coord()],
    move: () => [of.space(), { ...of.coord(), ...(draw.chance(0.1) ? { amount: 3 } : {}) }],
    'set-being': () => [self(), of.quality()],
    'set-default-role': () => [
      self(),
      { role: of.mostly<Json>(['manor:free', 'resident'], ['nobody', 'No Role']) },
    ],
    'set-roleflow': () => [self(), { flow: of.flow() }],
    'pause-being': () => [of.stance(), {}],
    'resume-being': () => [of.stance(), {}],
    'end-being': () => [draw.chance(0.3) ? of.stance() : '@operator', {}],
    'set-schedule': () => [
      self(),
      {
        ...name(),
        ...draw.pick<JsonObject>([
          { everySeconds: of.mostly<Json>([3, 5, 3600], [0, 'often']) },
          { at: of.mostly<Json>(['09:30', ['06:00', '18:15']], ['24:00', []]) },
          { at: '07:00', days: of.mostly<Json>([['mon', 'fri']], [['someday']]), missed: 'skip' },
          {
            at: '07:00',
            zone: of.mostly<Json>(['Europe/Berlin', 'US/Eastern'], ['no zone', 'Mars/Olympus']),
          },
          { everySeconds: 5, days: ['mon'] },
          {},
        ]),
        ...(draw.chance(0.3) ? { priority: 'human' } : {}),
      },
    ],
    'delete-schedule': () => [self(), name()],
    subscribe: () => [
      self(),
      {
        ...name(),
        scope: of.mostly(['everywhere', '/den', '/', '/hall'], ['~', '/nowhere']),
        field: of.mostly(['den.tone', 'world.bell', 'mood'], ['world']),
        ...(draw.chance(0.3) ? { equals: draw.pick<Json>([1, [1, 2], {}, null]) } : {}),
        ...(draw.chance(0.3) ? { below: true } : {}),
      },
    ],
    unsubscribe: () => [self(), name()],
    'set-budget': () =>
      draw.chance(0.3)
        ? ['/', { births: amount(), for: draw.pick(['llm', 'scripted']) }]
        : [of.stance(), { births: amount(), hops: draw.pick<Json>([4, 9, null]), tokens: amount() }],
    'accept-difference': () => {
      const being = of.being()
      const digest = () => of.mostly<Json>(['a'.repeat(64), 'b'.repeat(64), null], ['c'])
      return [
        `@${being}`,
        {
          moment: of.mostly([`${being}/1/1`], ['ann/1', 'ann/1/1']),
          recorded: digest(),
          given: digest(),
        },
      ]
    },
    'unpark-being': () => [of.stance(), draw.pick<JsonObject>([{}, { release: true }])],
    'set-role': () => [null, { role: of.spec(), ...(draw.chance(0.1) ? { trial: { moments: 3 } } : {}) }],
    'delete-role': () => [
      null,
      {
        name: draw.pick(['walker', 'porter', 'manor:free', 'nobody']),
        ...(draw.chance(0.5) ? { force: true } : {}),
      },
    ],
    'set-world-signal': () => [
      '/',
      {
        namespace: of.mostly(['bell', 'lamp', 'bell'], ['manor', 'model', 'Bad']),
        key: of.mostly(['rings', 'a.b'], ['Bad Key']),
        value: draw.pick<Json>([true, 1, null]),
      },
    ],
    'grant-namespace': () => ['/', { namespace: draw.pick(['bell', 'lamp', 'manor']), being: of.stance() }],
    'revoke-namespace': () => ['/', { namespace: draw.pick(['bell', 'lamp']), being: of.stance() }],
    vouch: () => {
      const target = draw.pick([`@${of.being()}`, of.space()])
      return [
        target,
        {
          seen: draw.chance(0.85) ? of.seen(target) : 'nothing',
          ...(draw.chance(0.1) ? { role: 'walker' } : {}),
        },
      ]
    },
    approve: () => [
      null,
      {
        id: of.approval(),
        ...(draw.chance(0.15)
          ? { args: draw.pick<JsonObject>([{}, { coord: { x: 0, y: 0, z: 0 } }, { wrong: 1 }]) }
          : {}),
      },
    ],
    deny: () => [null, { id: of.approval(), ...(draw.chance(0.5) ? { why: 'not now' } : {}) }],
    erase: () => [
      `@${of.being()}`,
      draw.pick<JsonObject>([
        { why: 'asked to' },
        { moment: 'ann/1/1', fact: {}, why: 'x' },
        { why: '' },
        { moment: 'x', why: 'y' },
      ]),
    ],
    'set-hold': () => [of.stance(), hold()],
    'lift-hold': () => [of.stance(), hold()],
    'manor:mark': () => [self(), {}],
    'manor:till': () => [of.space(), {}],
    mediate: () => [null, {}],
    'no:such': () => [null, {}],
  }
}

/** Arguments of a birth. */
export function drawnBirth(of: PartDrawer): JsonObject {
  const { draw } = of
  const cognition = of.mostly(['scripted', 'scripted', 'human', 'llm'], ['cat'])
  return {
    name: draw.pick(NAMES),
    cognition,
    ...(cognition === 'scripted' && draw.chance(0.95)
      ? { script: of.mostly(['silent'], ['no:script']) }
      : {}),
    ...(draw.chance(0.85) ? { role: of.role() } : {}),
    ...(draw.chance(0.4) ? { home: of.space() } : {}),
    ...(draw.chance(0.15) ? { roleFlow: of.flow() } : {}),
    ...(draw.chance(0.2)
      ? {
          ceiling: draw.pick<Json>([
            { canSee: ANY, canDo: ANY, canSummon: ANY, canBe: ANY },
            { canSee: ['/'], canDo: [{ pattern: 'set-*' }] },
            { canDo: [{ rel: 'self' }] },
            null,
          ]),
        }
      : {}),
  }
}
