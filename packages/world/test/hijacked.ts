import {
  isJsonObject,
  type Json,
  type JsonObject,
  parseCall,
  readNamedCall,
  readWrittenCall,
  type ShownNames,
  TreeosError,
  VERBS,
  type VerbCall,
} from '@treeos/core'
import fc from 'fast-check'
import { Oracle } from './authority-oracle.ts'
import { Play, type World } from './authority-play.ts'
import { run } from './authority-runs.ts'
import { ACTIONS, ADDRESSES, ALL_MOVES, BE, MOLE, type Move, STANCES, scene } from './authority-scene.ts'

/** Calls in one generated world. */
const CALLS_MAX = 100

/** Calls that are well formed. An attacker takes them apart and puts the parts together in other ways. */
const KNOWN: VerbCall[] = ALL_MOVES.flatMap((move) =>
  move.kind === 'call' ? [move.call('kid-0', MOLE)] : [move.call],
)

const pick = <T>(from: readonly T[]) => fc.nat(from.length - 1).map((i) => from[i] as T)

/**
 * Other ways to write an address, and words that mean something to JavaScript, to SQL or to a file system.
 */
const disguised = (address: string): string[] => [
  address,
  `${address}/`,
  `/${address}`,
  `/den/..${address}`,
  `${address} `,
  address.toUpperCase(),
  `${address}\u200b`,
  `${address}\u0000`,
  encodeURIComponent(address),
  `space:${address}`,
  `being:${address.slice(1)}`,
]
const ODD = [
  '',
  '~',
  '~/@victim',
  '../secret',
  '/den/../secret',
  '*',
  '@*',
  'constructor',
  '__proto__',
  'toString',
  "' or 1=1 --",
  'matter:relic',
  'registry',
  'world:court',
]
const PLACES = [
  ...ADDRESSES,
  ...STANCES,
  '@kid-0',
  'matter:gem',
  'matter:relic',
  'matter:mace',
  'matter:purse',
].flatMap(disguised)

const place = fc.oneof({ weight: 8, arbitrary: pick(PLACES) }, pick(ODD), fc.constant(null))
const action = fc.oneof(
  { weight: 12, arbitrary: pick(ACTIONS) },
  pick(ACTIONS.flatMap((name) => [`${name} `, name.toUpperCase(), `seed:${name}`, `${name}\u200b`])),
  pick(ODD),
)
const ARGS: readonly JsonObject[] = KNOWN.flatMap((call) =>
  call.verb === 'do' ? [call.args] : call.verb === 'be' ? [call.args] : [],
)
const PAIRS: readonly (readonly [string, Json])[] = ARGS.flatMap((args) => Object.entries(args))
const junk: fc.Arbitrary<Json> = fc.oneof(
  pick(ODD),
  place,
  pick(PAIRS).map(([, value]) => value),
  fc.constantFrom<Json>(null, true, -1, 1e308, [], {}, { pattern: '*' }, { rel: 'parent' }, ['*']),
)
const args = fc
  .tuple(
    pick(ARGS),
    fc.array(
      fc.oneof(
        pick(PAIRS),
        fc.tuple(
          pick(PAIRS).map(([key]) => key),
          junk,
        ),
        fc.tuple(pick(ODD), junk),
      ),
      { maxLength: 2 },
    ),
    fc.boolean(),
  )
  .map(([base, more, isBare]) => Object.fromEntries([...(isBare ? [] : Object.entries(base)), ...more]))

/** What a model that was taken over answers: the name of a tool and its arguments. */
export const answer: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(action, place, args)
      .map(([operation, target, args]) => ({ verb: 'do', operation, target, args })),
  },
  // a known call with one part exchanged is nearer to what is let through
  {
    weight: 4,
    arbitrary: fc
      .tuple(pick(KNOWN), place, args, fc.nat(5))
      .map(([call, target, args, part]) => exchanged(call, { target, args, part })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.oneof(pick(BE), pick(ODD)), args)
      .map(([operation, args]) => ({ verb: 'be', operation, args })),
  },
  { weight: 2, arbitrary: place.map((address) => ({ verb: 'see', address })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        place,
        junk,
        fc.oneof(fc.constant(null), pick(['another', 'the-wake', ''])),
        pick(['wide', MOLE, 'mask', '']),
      )
      .map(([target, content, inReplyTo, role]) => ({ verb: 'summon', target, content, inReplyTo, role })),
  },
  fc.tuple(pick(['SEE', 'exec', 'constructor', '']), args).map(([verb, args]) => ({ verb, ...args })),
  // shapes that only the generous reading takes: a tool with the name of an action, arguments beside it or as
  // text, bare names
  fc.tuple(action, args).map(([verb, args]) => ({ verb, ...args })),
  fc
    .tuple(action, place, args)
    .map(([operation, target, args]) => ({ verb: 'do', operation, target, ...args })),
  fc.tuple(action, pick(STANCES), args).map(([operation, target, args]) => ({
    verb: 'do',
    operation,
    target: target.slice(1),
    args: JSON.stringify(args),
  })),
)

function exchanged(
  call: VerbCall,
  { target, args, part }: { target: Json; args: JsonObject; part: number },
): unknown {
  const others = { target, address: target, args }
  const names = Object.keys(others).filter((name) => name in call)
  const name = names[part] // beyond them the call stays as it is: some of what is tried must be allowed
  return name === undefined ? call : { ...call, [name]: others[name as keyof typeof others] }
}

const raid = fc.record({
  before: run.map(({ steps }) => steps),
  calls: fc.array(
    fc.record({
      /** counted from the youngest of the mole's line */
      who: fc.nat(3),
      answer,
      /** lives on in what comes of it */
      stays: fc.nat(9).map((n) => n === 0),
    }),
    { minLength: CALLS_MAX, maxLength: CALLS_MAX },
  ),
})

export interface Raided {
  calls: number
  /** calls that a parser refused before any gate */
  malformed: number
  accepted: number
}

/**
 * Has the minds of the mole and of all whom it made answer whatever an attacker chose, in one generated world
 * after another.
 * @throws {Breach} for a call beyond lists or stance
 */
export async function raidWorlds(code: World, calls: number, seed?: number): Promise<Raided> {
  const done: Raided = { calls: 0, malformed: 0, accepted: 0 }
  const once = fc.asyncProperty(raid, async ({ before, calls }) => {
    const start = scene(false)
    const play = new Play(code, start, new Oracle(start))
    await play.begin()
    const turnOf = (who: number) => play.cast[Math.max(0, play.cast.length - 1 - who)] as string
    for (const { who, move } of before) await play.step(turnOf(who), move)
    const accepted = play.accepted
    for (const { who, answer, stays } of calls) {
      done.calls += 1
      const call = parsed(answer)
      if (call === null) {
        done.malformed += 1
        continue
      }
      const move: Move = { kind: 'call', call: () => call }
      await (stays ? play.step(turnOf(who), move) : play.try(turnOf(who), move))
    }
    done.accepted += play.accepted - accepted
  })
  await fc.assert(once, {
    numRuns: Math.ceil(calls / CALLS_MAX),
    endOnFailure: true, // what broke through is told; smaller worlds take minutes to find
    ...(seed === undefined ? {} : { seed }),
  })
  return done
}

/**
 * What a model is told of at most: every address, and every action with the arguments that a move of it has.
 */
const SHOWN: ShownNames = {
  addresses: [...ADDRESSES, ...STANCES, 'matter:gem', 'matter:relic'],
  doOperations: new Map(
    KNOWN.flatMap((call) => (call.verb === 'do' ? [[call.operation, Object.keys(call.args)]] : [])),
  ),
  beOperations: new Map(
    KNOWN.flatMap((call) => (call.verb === 'be' ? [[call.operation, Object.keys(call.args)]] : [])),
  ),
}

/** A call as a program must write it, else as a model may. */
export const parsed = (answer: unknown): VerbCall | null =>
  read(() => parseCall(isJsonObject(answer) ? JSON.parse(JSON.stringify(answer)) : answer)) ??
  generous(answer)

function generous(answer: unknown): VerbCall | null {
  if (!isJsonObject(answer)) return null
  const { verb, role: _unasked, ...written } = JSON.parse(JSON.stringify(answer)) as JsonObject
  const known = VERBS.find((one) => one === verb)
  return read(() =>
    known === undefined
      ? readNamedCall(String(verb), written, SHOWN)
      : readWrittenCall(known, written, SHOWN),
  )
}

function read(call: () => VerbCall): VerbCall | null {
  try {
    return call()
  } catch (error) {
    if (error instanceof TreeosError) return null
    throw error
  }
}
