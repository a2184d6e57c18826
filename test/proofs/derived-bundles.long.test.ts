/**
 * Bundles of a record that somebody wrote anew with true hashes: what its moments opened with, wore and
 * became is derived again.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportBundle } from '@treeos/proofs'
import { valueHash as digestOf, saltedHash } from '@treeos/verify/parts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSpace, doAs, play, setFlow } from '../support/life.ts'
import { playDryRunOutside, playMarkedNote, playWordsFromOutside } from '../support/outside-words.ts'
import { stage } from '../support/puppet.ts'
import { useWorld } from '../support/use-world.ts'
import { type Line, linesOf, rehashed, summed, verifyBytes } from './bundle-lines.ts'

const folder = mkdtempSync(join(tmpdir(), 'treeos-derived-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const world = useWorld({ extensions: [stage] })
let lines: Line[]

beforeAll(async () => {
  for (const name of ['ann', 'ben']) await world.birthPuppet(name)
  await createSpace(world, '/den')
  await doAs(world, 'set-space', '/den', { field: 'den.warm', value: true })
  await setFlow(world, 'ann', [
    { when: { 'space.quality.den.warm': true }, role: 'stage:mode-1', stack: true },
    { when: { 'world.bell.rings': true }, role: 'stage:mode-2', stack: true },
    { when: { 'me.previousRole': 'nobody' }, role: 'stage:mode-2', stack: true },
    { when: { 'time.hour': { gt: 25 } }, role: 'stage:mode-2', stack: true },
    { when: { 'time.sinceLastMoment': { gt: 99_999 } }, role: 'stage:mode-2', stack: true },
    { when: { inHomeSpace: 'never' }, role: 'stage:mode-2', stack: true },
  ])
  await play(world, 'ann', { verb: 'do', operation: 'move', target: '/den', args: {} })
  await play(world, 'ann', { verb: 'do', operation: 'move', target: '/', args: {} })
  await play(world, 'ann', { verb: 'see', address: '/den' })
  await hideFrom('eve')
  await playWordsFromOutside(world)
  await playMarkedNote(world)
  await playDryRunOutside(world)
  const file = join(folder, 'all.jsonl')
  await exportBundle(world.db, world.reality, { log: null, file })
  lines = linesOf(readFileSync(file)).map((line) => JSON.parse(line))
})

/** Has a being go into a space, and then keeps from it what its flow reads there. */
async function hideFrom(being: string): Promise<void> {
  await world.birthPuppet(being)
  await createSpace(world, '/vault')
  await doAs(world, 'set-space', '/vault', { field: 'vault.open', value: true })
  await setFlow(world, being, [
    { when: { 'space.quality.vault.open': true }, role: 'stage:mode-1', stack: true },
  ])
  await play(world, being, { verb: 'do', operation: 'move', target: '/vault', args: {} })
  await play(world, being, { verb: 'see', address: `@${being}` })
  await doAs(world, 'set-space', '/vault', {
    field: 'permissions',
    value: { see: { '*': { requires: ['operator'] } } },
  })
  await play(world, being, { verb: 'see', address: `@${being}` })
}

const check = (forged: readonly Line[]) =>
  verifyBytes(summed(forged.map((line) => JSON.stringify(line))), null)

it('what an unknown law judged is not proven, and not broken', async () => {
  const forged = structuredClone(lines)
  const { moment } = partsOf(forged)
  moment.decision.call.target = '/elsewhere' // by law 1 its facts do not follow from that
  moment.record.decision = saltedHash(moment.salt, moment.decision)
  expect((await check(rehashed(forged))).status).toBe('broken') // the control
  moment.record.law = 2
  const { status, broken, unproven } = await check(rehashed(forged))
  expect({ status, broken }).toEqual({ status: 'unproven', broken: [] })
  expect(unproven).toContain(
    '1 moments were judged by law 2, which this verifier does not know: only hashes were checked',
  )
})

/** The last act of the being, its program, and the last fact that it wrote. */
function partsOf(all: readonly Line[]) {
  const moment = all.findLast(
    (line) => line.kind === 'moment' && line.being === 'ann' && line.record.outcome === 'act',
  )!
  const program = all.find((line) => line.kind === 'blob' && line.digest === moment.open.program)!
  const facts = all.filter((line) => line.kind === 'fact' && line.header.moment === moment.record.moment)
  return { moment, program, facts, ...moment } as Line & { moment: Line; program: Line; facts: Line[] }
}

type Parts = ReturnType<typeof partsOf>
const KINDS: readonly (readonly [what: string, reason: string, forge: (parts: Parts) => void])[] = [
  [
    'a quality of the space',
    'context-mismatch',
    ({ open }) => {
      open.context.space.quality.den.warm = false
    },
  ],
  [
    'a quality of the space, gone from the context',
    'context-mismatch',
    ({ open }) => {
      open.context.space.quality.den = { warm: null }
    },
  ],
  [
    'a signal that nobody published',
    'context-mismatch',
    ({ open }) => {
      open.context.world = { bell: { rings: true } }
    },
  ],
  [
    'where it looked',
    'context-mismatch',
    ({ open }) => {
      const forged = Object.entries({ ...open, orientation: 'inward' }).sort(([a], [b]) => (a < b ? -1 : 1))
      for (const key of Object.keys(open)) delete open[key]
      Object.assign(open, Object.fromEntries(forged))
    },
  ],
  [
    'the role before',
    'context-mismatch',
    ({ open }) => {
      open.context.me.previousRole = 'nobody'
    },
  ],
  [
    'the hour in the context',
    'context-mismatch',
    ({ open }) => {
      open.context.time.hour += 1
    },
  ],
  [
    'the time since the last act',
    'context-mismatch',
    ({ open }) => {
      open.context.time.sinceLastMoment += 100_000
    },
  ],
  [
    'whether it is at home',
    'context-mismatch',
    ({ open }) => {
      open.context.inHomeSpace = !open.context.inHomeSpace
    },
  ],
  [
    'the hour in all places',
    'time-mismatch',
    ({ open }) => {
      open.hour = (open.hour + 1) % 24
      open.context.time.hour = open.hour
    },
  ],
  [
    'the weekday',
    'time-mismatch',
    ({ open }) => {
      open.dayOfWeek = (open.dayOfWeek + 1) % 7
    },
  ],
  [
    'the last act in all places',
    'context-mismatch',
    ({ open }) => {
      open.lastSealed.sealedAt -= 5000
      open.context.time.sinceLastMoment += 5
    },
  ],
  [
    'the cognition',
    'context-mismatch',
    ({ open }) => {
      open.cognition = { kind: 'human', script: null }
    },
  ],
  ['a modifier that was not worn', 'stack-mismatch', ({ record, facts }) => wear(record, facts, [])],
  [
    'a modifier worn twice',
    'stack-mismatch',
    ({ record, facts }) => wear(record, facts, [...record.stack.stacked, ...record.stack.stacked]),
  ],
  [
    'the digest of a role',
    'stack-mismatch',
    ({ record, facts }) => {
      const [first] = record.stack.stacked
      wear(record, facts, [{ ...first, digest: record.stack.primary.digest }])
    },
  ],
  ['a clause of the flow', 'program-mismatch', ({ program }) => void program.content.flow.splice(1, 1)],
  [
    'the default role',
    'program-mismatch',
    ({ program }) => {
      program.content.defaultRole = 'resident'
    },
  ],
  [
    'a role of the program that needs another cognition',
    'program-mismatch',
    ({ program }) => {
      program.content.roles['stage:mode-2'].requiredCognition = 'llm'
    },
  ],
  [
    'the actor of a fact',
    'actor-mismatch',
    ({ facts }) => {
      facts.at(-1)!.header.actor = 'ben'
    },
  ],
  [
    'the driver of a fact',
    'actor-mismatch',
    ({ facts }) => {
      facts.at(-1)!.header.driver = 'ben'
    },
  ],
  [
    'the time of a fact',
    'actor-mismatch',
    ({ facts }) => {
      facts.at(-1)!.header.at += 1
    },
  ],
  [
    'the cause of a fact',
    'actor-mismatch',
    ({ facts }) => {
      facts.at(-1)!.header.cause = null
    },
  ],
  [
    'the stack of a fact',
    'actor-mismatch',
    ({ facts }) => {
      facts.at(-1)!.header.stack = null
    },
  ],
  [
    'a driver that nobody was',
    'driver-mismatch',
    ({ open, facts }) => {
      open.driver = 'ben'
      for (const { header } of facts) header.driver = 'ben'
    },
  ],
  [
    'an act that is said to be a look',
    'outcome-mismatch',
    ({ record }) => void Object.assign(record, { outcome: 'see', act: null }),
  ],
  [
    'an act that is said to be skipped',
    'outcome-mismatch',
    ({ record }) => void Object.assign(record, { outcome: 'skipped', act: null }),
  ],
  [
    'the wake',
    'record-mismatch',
    ({ record }) => {
      record.wake = 'summon/other'
    },
  ],
  [
    'the time at which it opened',
    'time-mismatch',
    ({ record }) => {
      record.openedAt -= 1
    },
  ],
]

/** Puts on other modifiers, and says so in the facts. */
function wear(record: Line, facts: readonly Line[], stacked: readonly Line[]): void {
  record.stack = { ...record.stack, stacked }
  for (const { header } of facts) header.stack = digestOf(record.stack)
}

describe(`a bundle in which one of ${KINDS.length} values was changed, with every hash made again`, () => {
  it('control: with nothing changed it fits, and only a checkpoint is missing', async () => {
    expect(await check(lines)).toMatchObject({ status: 'unproven', broken: [] })
    expect(await check(rehashed(structuredClone(lines)))).toMatchObject({ status: 'unproven', broken: [] })
  })

  it.each(KINDS)('%s: %s', async (_, reason, forge) => {
    const forged = structuredClone(lines)
    forge(partsOf(forged))
    const { status, broken } = await check(rehashed(forged))
    expect(status).toBe('broken')
    expect(broken.map((fault) => fault.reason)).toContain(reason)
    // The control: the hashes are true, so nothing else shows it.
    expect(broken.filter((fault) => /hash|line|prev|digest|payload/.test(fault.reason))).toEqual([])
  })
})

describe('a flow that reads a place which its being may not see', () => {
  const wornBy = (all: readonly Line[], being: string) =>
    all.filter((line) => line.kind === 'moment' && line.being === being && line.record.stack !== null)

  it('gives another stack than before, and a bundle without the reels of the place says who says why', async () => {
    const worn = wornBy(lines, 'eve')
    const [shown, hidden] = [worn.findLast(({ open }) => open.hidden === undefined), worn.at(-1)]
    expect([shown!.record.stack.stacked.length, hidden!.record.stack.stacked.length]).toEqual([1, 0])
    expect([shown!.open.hidden, hidden!.open.hidden]).toEqual([undefined, true])
    const file = join(folder, 'eve.jsonl')
    await exportBundle(world.db, world.reality, { being: 'eve', log: null, file })
    const alone = linesOf(readFileSync(file)).map((line) => JSON.parse(line))
    const said = 'that @eve might not see /vault, whose qualities its flow reads, is said by its records'
    for (const [all, isSaid] of [
      [lines, false],
      [alone, true],
    ] as const) {
      const { broken, unproven } = await check(all)
      expect(broken).toEqual([])
      expect(unproven.includes(said)).toBe(isSaid)
    }
  })

  it.each([
    ['leaves out that it was hidden', 'eve', undefined, 0, 'context-mismatch'],
    ['says that it was hidden, of a being that saw it', 'ann', true, 1, 'context-mismatch'],
    ['says that its home was hidden, and no rule hides it', 'ann', true, 0, 'context-mismatch'],
  ])('is broken where a record %s', async (_what, being, hidden, modifiers, fault) => {
    const forged = structuredClone(lines)
    const moment = wornBy(forged, being).findLast(({ record }) => record.stack.stacked.length === modifiers)!
    const { hidden: _, ...open } = moment.open
    const said = Object.entries(hidden === undefined ? open : { ...open, hidden })
    moment.open = Object.fromEntries(said.sort(([a], [b]) => (a < b ? -1 : 1))) // as in the canonical form
    const { broken } = await check(rehashed(forged))
    expect(broken.map(({ reason }) => reason)).toContain(fault)
  })
})

describe('words from outside, with every hash made again', () => {
  /** In the canonical form. */
  const sorted = (line: Line): Line =>
    Object.fromEntries(Object.entries(line).sort(([a], [b]) => (a < b ? -1 : 1))) as Line
  const momentsOf = (all: readonly Line[], being: string, isOutside: boolean) =>
    all.filter(
      (line) => line.kind === 'moment' && line.being === being && (line.open.outside === true) === isOutside,
    )
  const momentsOfDryRuns = (all: readonly Line[]) =>
    momentsOf(all, 'squire', false).filter(({ open }) => open.triedOutside !== undefined)
  const withoutDryRun = ({ triedOutside: _, ...open }: Line, said: readonly string[]): Line =>
    sorted({ ...open, ...(said.length === 0 ? {} : { triedOutside: said }) } as unknown as Line)

  it('of dry-run flows do not mark a moment, whose record says which it left out', async () => {
    expect(momentsOfDryRuns(lines).length).toBeGreaterThan(0)
    for (const { open } of momentsOfDryRuns(lines)) expect(open.triedOutside).toEqual(['world:news'])
    expect((await check(lines)).status).not.toBe('broken')
  })

  const without = ({ outside: _, ...rest }: Line): Line => rest as Line
  const marksOf = (all: readonly Line[], kind: string) => all.filter((line) => line.header?.kind === kind)

  it.each<[string, (all: Line[]) => void]>([
    [
      'a moment that does not say that it holds them',
      (all) => {
        const [moment] = momentsOf(all, 'envoy', true)
        moment!.open = without(moment!.open)
      },
    ],
    [
      'a moment that reads marks for what is tried, and does not say which',
      (all) => {
        for (const moment of momentsOfDryRuns(all)) moment.open = withoutDryRun(moment.open, [])
      },
    ],
    [
      'a moment that says of what its own flow reads that it was tried',
      (all) => {
        const [moment] = momentsOf(all, 'envoy', true)
        moment!.open = sorted({ ...without(moment!.open), triedOutside: ['being:envoy'] })
      },
    ],
    [
      'a moment that says of what nothing tried reads that it was',
      (all) => {
        for (const moment of momentsOfDryRuns(all))
          moment.open = withoutDryRun(moment.open, [...moment.open.triedOutside, 'space:/board'])
      },
    ],
    [
      'a moment whose wake does not say it either',
      (all) => {
        const [moment] = momentsOf(all, 'envoy', true)
        moment!.open = { ...without(moment!.open), wake: without(moment!.open.wake) }
      },
    ],
    [
      'a wake that a moment with them sent, without the mark',
      (all) => {
        const [sender] = momentsOf(all, 'envoy', true)
        const woken = momentsOf(all, 'envoy', false).at(-1)!
        const wake = { ...woken.open.wake, id: `change/${sender!.record.moment}/envoy`, kind: 'event' }
        woken.open = { ...woken.open, wake }
      },
    ],
    [
      'a moment that says it, and holds none',
      (all) => {
        const moment = momentsOf(all, 'ann', false).at(-1)!
        moment.open = sorted({ ...moment.open, outside: true })
      },
    ],
    [
      'a moment below a marked note that says it',
      (all) => {
        const [moment] = momentsOf(all, 'clark', false)
        moment!.open = sorted({ ...moment!.open, outside: true })
      },
    ],
    [
      'a moment that sees a marked note and does not say it',
      (all) => {
        const [moment] = momentsOf(all, 'keeper', true)
        moment!.open = without(moment!.open)
      },
    ],
    [
      'what was written, without its mark',
      (all) => {
        for (const { header } of marksOf(all, 'origin:outside')) header.kind = 'court:noted'
      },
    ],
    [
      'that somebody vouched before',
      (all) => {
        marksOf(all, 'origin:outside')[0]!.header.kind = 'origin:vouched'
      },
    ],
  ])('%s: origin-mismatch', async (_what, forge) => {
    const forged = structuredClone(lines)
    forge(forged)
    const { status, broken } = await check(rehashed(forged))
    expect(status).toBe('broken')
    expect(broken.map(({ reason }) => reason)).toContain('origin-mismatch')
  })
})
