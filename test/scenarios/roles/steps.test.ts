/** How many steps a being takes: as its role and budgets allow, and fewer where it repeats one call. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inbox, moments, summon } from '@treeos/client'
import { isJsonObject, type JsonObject, LIMITS } from '@treeos/core'
import { exportBundle } from '@treeos/proofs'
import { type Decision, defineExtension, defineRole, type Script } from '@treeos/sdk'
import { countOpen } from '@treeos/store'
import { saltedHash } from '@treeos/verify/parts'
import { toldContent } from '@treeos/world'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Line, linesOf, rehashed, summed } from '../../proofs/bundle-lines.ts'
import { SecondVerifier, whyNoPython } from '../../proofs/second-opinion.ts'
import { firstOn } from '../../proofs/two-opinions.ts'
import {
  askedFor,
  beingOf,
  createSpace,
  doAs,
  live,
  setFlow,
  setRole,
  tell,
  until,
  wakesOf,
} from '../../support/life.ts'
import type { Reply } from '../../support/model-server.ts'
import { naiveLog, newLogKey } from '../../support/naive-log.ts'
import { IS_NIGHT } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

/** Looks twice, acts once, and so on: each call is another one. */
const paced: Script = ({ wake }) => {
  const { step = 0 } = isJsonObject(wake.content) ? wake.content : {}
  const looks = ['/library', '~', null][Number(step) % 3] ?? null
  const call =
    looks === null
      ? { verb: 'do', operation: 'set-being', target: null, args: { field: 'pace.n', value: step } }
      : { verb: 'see', address: looks }
  return { kind: 'call', call, content: null } as unknown as Decision
}

const lists = {
  canSee: ['/library', '~'],
  canDo: ['set-being' as const],
  canSummon: [{ rel: 'asker' }],
  prompt: '',
}
const pacing = defineExtension({
  name: 'pacing',
  version: '1.0.0',
  roles: [
    defineRole({ name: 'pacing:long', selfContinue: true, steps: 40, ...lists }),
    defineRole({ name: 'pacing:most', selfContinue: true, steps: LIMITS.stepsMax, ...lists }),
    defineRole({ name: 'pacing:answering', selfContinue: 'until-answered', ...lists }),
    defineRole({ name: 'pacing:plain', selfContinue: true, ...lists }),
  ],
  scripts: { 'pacing:paced': paced },
})

const model = useModelServer()
const world = useWorld({ extensions: [stage, pacing], modelServer: model })
/** What a model that is stuck writes. */
const STUCK: Record<'do' | 'look', Reply> & Record<string, Reply> = {
  do: {
    tool: { name: 'do', args: { operation: 'set-being', args: { field: 'note.last', value: 'again' } } },
  },
  look: { tool: { name: 'see', args: { address: '/library' } } },
}

const walker = (name: string, role: string) =>
  world.birth({ name, cognition: 'scripted', script: 'pacing:paced', role })

/** Every moment of a being, once its inbox is empty. */
async function lived(name: string) {
  await until(async () => (await countOpen(world.db, name)) === 0, { seconds: 90 })
  return moments(world.db, name)
}

describe('a role', () => {
  it.each([
    { name: 'plain', role: 'pacing:plain', steps: LIMITS.stepsDefault, reason: 'steps-spent' },
    ...(IS_NIGHT
      ? [
          { name: 'long', role: 'pacing:long', steps: 40, reason: 'steps-spent' },
          { name: 'most', role: 'pacing:most', steps: LIMITS.stepsMax, reason: 'steps-spent' },
        ]
      : []),
  ])('$role allows $steps steps, looks among them', async ({ name, role, steps, reason }) => {
    await walker(name, role)
    await tell(world, name, 'go')
    const all = await lived(name)
    expect(all).toHaveLength(steps + 1)
    expect(all.filter((moment) => moment.reason !== undefined)).toMatchObject([
      { n: steps + 1, reason, message: expect.stringContaining(`all ${steps} steps that its role allows`) },
    ])
    const own = (await wakesOf(world, name)).slice(1)
    expect(own.map(({ continues }) => continues)).toEqual(Array.from({ length: steps }, (_, i) => i + 1))
    expect(own.map(({ content }) => (content as JsonObject).of)).toEqual(Array(steps).fill(steps))
    const notices = (await inbox(world, 'operator')).filter(
      ({ content }) => (content as JsonObject).actor === `@${name}`,
    )
    expect(notices).toMatchObject([{ content: { event: reason, steps } }])
  })

  it('counts for each question anew, and tells whoever asked that it ended without an answer', async () => {
    await setRole(world, { name: 'brisk', selfContinue: 'until-answered', steps: 2, ...lists })
    await walker('brisk', 'brisk')
    for (const turn of [1, 2]) {
      const asking = { target: 'brisk', content: 'go', as: 'operator', waitSeconds: 30, requireReply: true }
      await expect(summon(world, asking)).rejects.toMatchObject({
        code: 'NO_ANSWER',
        detail: { reason: 'steps-spent', moment: `brisk/1/${3 * turn}` },
      })
    }
  })

  it('that is stacked adds no step to those of the primary one', async () => {
    await setRole(world, { name: 'short', selfContinue: true, steps: 3, ...lists })
    await walker('short', 'short')
    await setFlow(world, 'short', [{ role: 'short' }, { stack: true, role: 'pacing:long' }])
    await live(world, 'short', 'go')
    expect(await lived('short')).toHaveLength(4)
  })

  it('allows what a budget over its wearer allows, and no more', async () => {
    await walker('poor', 'pacing:long')
    await doAs(world, 'set-budget', '@poor', { selfContinues: 5 })
    await live(world, 'poor', 'go')
    const all = await lived('poor')
    expect(all).toHaveLength(6)
    expect(all.at(-1)?.message).toContain('all 5 steps that the budget of @poor allows')
    if (!IS_NIGHT) return // the steps that its role allows are lived above
    await doAs(world, 'set-budget', '@poor', { selfContinues: LIMITS.stepsMax })
    await live(world, 'poor', 'go')
    expect(await lived('poor')).toHaveLength(6 + 41)
  })

  it.each([LIMITS.stepsMax + 1, -1, 1.5, '16'])('cannot allow %j steps', async (steps) => {
    const role = { name: 'odd', steps, ...lists }
    await expect(setRole(world, role as JsonObject)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('steps is a whole number from 0 to 200'),
    })
  })
})

describe('a being that repeats itself', () => {
  it.each([
    ['an act', 'do', 'act'],
    ['a look', 'look', 'see'],
  ])('is told after the second time, and ends after the fourth: %s', async (_, what, kind) => {
    const name = `stuck-${what}`
    await world.birth({ name, cognition: 'llm', role: 'pacing:long' })
    model.script((request) => (beingOf(request) === name ? STUCK[what] : undefined))
    const asking = { target: name, content: 'go', as: 'operator', waitSeconds: 30, requireReply: true }
    await expect(summon(world, asking)).rejects.toMatchObject({
      code: 'NO_ANSWER',
      message: expect.stringContaining('made the same call 4 times in a row, and it gave the same each time'),
      detail: { outcome: kind, reason: 'repeated-call', moment: `${name}/1/4` },
    })
    const told = askedFor(model, name).map(({ messages }) =>
      messages.map(({ content }) => content).join('\n'),
    )
    expect(told.map((text) => /You made this call (\d) times in a row/.exec(text)?.[1] ?? null)).toEqual([
      null,
      null,
      '2',
      '3',
    ])
    const notices = (await inbox(world, 'operator')).filter(
      ({ content }) => (content as JsonObject).actor === `@${name}`,
    )
    expect(notices).toMatchObject([{ content: { event: 'repeated-call', times: 4 } }])
  })

  it('tells a being that asked it, once', async () => {
    await world.birthPuppet('patron')
    await world.birth({ name: 'stuck-clerk', cognition: 'llm', role: 'pacing:answering' })
    model.script((request) => (beingOf(request) === 'stuck-clerk' ? STUCK.do : undefined))
    await live(world, 'patron', { call: { verb: 'summon', target: '@stuck-clerk', content: 'go' } })
    const notices = () =>
      wakesOf(world, 'patron').then((all) => all.filter(({ id }) => id.startsWith('notice/')))
    await until(async () => (await notices()).length > 0)
    expect(await notices()).toMatchObject([
      { content: { event: 'unanswered', actor: '@stuck-clerk', code: 'repeated-call' } },
    ])
  })

  it('goes on where what it does gives something else, or another call is between', async () => {
    await world.birth({ name: 'patient', cognition: 'llm', role: 'pacing:long' })
    const turns: Reply[] = [STUCK.do, STUCK.do, STUCK.do, STUCK.look, STUCK.do, STUCK.do, STUCK.do]
    model.script((request) =>
      beingOf(request) === 'patient' ? (turns.shift() ?? { content: 'done' }) : undefined,
    )
    await live(world, 'patient', 'go')
    expect((await lived('patient')).map(({ reason }) => reason ?? null)).toEqual(Array(8).fill(null))
  })
})

describe('one look at several addresses', () => {
  it('is one moment and one step, and one that is hidden does not fail the rest', async () => {
    await world.birth({ name: 'surveyor', cognition: 'llm', role: 'pacing:long' })
    const address = ['/library', '/court', '~', '@nobody']
    const turns: Reply[] = [
      { tool: { name: 'see', args: { address: address[0]!, addresses: address.slice(1) } } },
      { tool: { name: 'summon', args: { content: 'I saw two.' } } },
    ]
    model.script((request) =>
      beingOf(request) === 'surveyor' ? (turns.shift() ?? { content: 'done' }) : undefined,
    )
    const asking = {
      target: 'surveyor',
      content: 'look',
      as: 'operator',
      waitSeconds: 30,
      requireReply: true,
    }
    expect((await summon(world, asking)).reply?.content).toBe('I saw two.')
    const [first, second] = await lived('surveyor')
    expect(first).toMatchObject({ outcome: 'see', did: { verb: 'see', target: address.join(' ') } })
    expect(second).toMatchObject({ woke: { trigger: 'look', what: address.join(' ') } })
    const [, look] = await wakesOf(world, 'surveyor')
    expect(look).toMatchObject({
      continues: 1,
      content: {
        looks: [
          { address: '/library', seen: { address: { path: '/library' } } },
          { address: '/court', refused: { code: 'FORBIDDEN' } },
          { address: '~', seen: { address: { path: '/' } } },
          { address: '@nobody', refused: { code: 'FORBIDDEN' } },
        ],
      },
    })
    const told = askedFor(model, 'surveyor').map(({ messages }) => messages.at(-1)?.content ?? '')
    expect(told[1]).toContain('You looked at /library, /court, ~ and @nobody.')
    const [tool] = (askedFor(model, 'surveyor')[0]?.tools ?? []).filter((one) => one.function.name === 'see')
    expect(tool).toMatchObject({ function: { parameters: { required: ['address'] } } })
  })

  it('is refused where all of them are hidden, and so are more than eight', async () => {
    await world.birth({ name: 'lost', cognition: 'llm', role: 'pacing:long' })
    const nine = Array.from({ length: 9 }, (_, i) => `/a${i}`)
    const turns: Reply[] = [['/court', '@nobody'], nine].map((addresses) => ({
      tool: { name: 'see', args: { addresses } },
    }))
    model.script((request) =>
      beingOf(request) === 'lost' ? (turns.shift() ?? { content: 'done' }) : undefined,
    )
    await live(world, 'lost', 'look')
    expect((await lived('lost')).map(({ outcome, reason }) => [outcome, reason ?? null])).toEqual([
      ['see', 'FORBIDDEN'],
      ['failure', 'LLM_FAILED'],
      ['see', null],
    ])
  })

  it('shows a script, which gives a list, what each address holds, and forgets what is hidden since', async () => {
    await world.birthPuppet('glimpser')
    await createSpace(world, '/vault')
    await doAs(world, 'set-space', '/vault', { field: 'code.word', value: 'swordfish' })
    const call = { verb: 'see', addresses: ['/vault', '/library'] }
    expect(await live(world, 'glimpser', { call })).toMatchObject({ outcome: 'see' })
    await until(async () => (await countOpen(world.db, 'glimpser')) === 0)
    const entry = (await wakesOf(world, 'glimpser')).at(-1)!
    expect(JSON.stringify(entry.content)).toContain('swordfish')
    const heard = toldContent(entry)
    expect(JSON.stringify(heard)).not.toContain('swordfish')
    expect(heard).not.toHaveProperty('same')
  })
})

describe('afterwards', () => {
  it('every step replays from the chain and by Temporal, and no chain is broken', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })

  describe('both offline verifiers', () => {
    const folder = mkdtempSync(join(tmpdir(), 'treeos-steps-'))
    const file = join(folder, 'bundle.jsonl')
    const why = whyNoPython()
    let second: SecondVerifier | null = null
    beforeAll(async () => {
      if (why === null) second = new SecondVerifier()
      const log = await naiveLog(world.db, newLogKey(world.reality))
      await exportBundle(world.db, world.reality, { log: async () => log, file })
    })
    afterAll(() => {
      second?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    const opinionsOn = async (bundle: Buffer) => {
      const [first, other] = await Promise.all([
        firstOn({ bundle, key: null }),
        second?.ask({ bundle, key: null }),
      ])
      return [first.status, other?.status ?? first.status]
    }
    const lines = () => linesOf(readFileSync(file)).map((text) => JSON.parse(text) as Line)
    const written = (changed: readonly Line[]) => summed(changed.map((line) => JSON.stringify(line)))

    it('derive every step', async () => {
      expect(await opinionsOn(readFileSync(file))).toEqual(['ok', 'ok'])
    })

    /** The bundle with other calls, as somebody writes it who makes every digest again. */
    const recalled = (
      calls: Readonly<Record<string, { readonly call: object; readonly by?: readonly string[] }>>,
    ) => {
      const all = lines()
      for (const [name, { call, by }] of Object.entries(calls)) {
        const line = all.find(({ record }) => record?.moment === name)
        if (line === undefined) throw new Error(`there is no moment ${name}`)
        line.decision.call = call
        line.record.decision = saltedHash(line.salt, line.decision)
        if (by !== undefined) line.record.by = by
      }
      return written(rehashed(all))
    }

    it('find an end by repetition of calls that were not the same', async () => {
      const survey = lines().find(({ record }) => record?.moment === 'surveyor/1/1')
      const home = { call: { address: '~', verb: 'see' }, by: survey?.record.by.slice(2) } // what it looked at last
      const all = [1, 2, 3, 4].map((n) => [`stuck-look/1/${n}`, home] as const)
      expect(await opinionsOn(recalled(Object.fromEntries(all)))).toEqual(['unproven', 'unproven']) // the control
      expect(await opinionsOn(recalled(Object.fromEntries(all.slice(1))))).toEqual(['broken', 'broken'])
    })

    it('judge each address of a look by its own gates', async () => {
      const changed = (...addresses: string[]) =>
        recalled({ 'surveyor/1/1': { call: { addresses, verb: 'see' } } })
      const hidden = ['/court', '@nobody']
      expect(await opinionsOn(changed('/library', '~', ...hidden))).toEqual(['unproven', 'unproven']) // the control
      expect(await opinionsOn(changed('/library', ...hidden))).toEqual(['broken', 'broken'])
      if (!IS_NIGHT) return
      expect(await opinionsOn(changed('~', '/library', ...hidden))).toEqual(['broken', 'broken']) // in another order
      expect(await opinionsOn(changed(...hidden))).toEqual(['broken', 'broken'])
    })

    it('find a step beyond those that the role before it allows', async () => {
      const changed = (continues: number) => {
        const all = lines()
        const last = all.findLast(({ kind, open }) => kind === 'moment' && open.wake.id === 'look/short/1/2')
        if (last === undefined) throw new Error('there is no such moment')
        last.open.wake.continues = continues
        return written(rehashed(all))
      }
      expect(await opinionsOn(changed(3))).toEqual(['unproven', 'unproven']) // the control, with no checkpoint
      expect(await opinionsOn(changed(4))).toEqual(['broken', 'broken'])
    })
  })
})
