import { readFileSync } from 'node:fs'
import { gather, inbox, moments } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { findEntry, listChain, listOutcomes } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  beingOf,
  createSpace,
  doAs,
  factsOf,
  setFlow,
  setRole,
  tell,
  until,
  wakesOf,
} from '../../support/life.ts'
import type { ModelRequest, Reply } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

/** The ritual of docs/rituals.md. */
const { roles, flows } = JSON.parse(
  readFileSync(new URL('../../../docs/examples/coronation.json', import.meta.url), 'utf8'),
) as { roles: JsonObject[]; flows: Record<string, JsonObject[]> }

const say = (content: string, target?: string): Reply => ({
  tool: { name: 'summon', args: target === undefined ? { content } : { target, content } },
})
const CROWNING: Reply = {
  tool: { name: 'do', args: { operation: 'set-space', args: { field: 'crown.head', value: '@heir' } } },
}
/** The line of each of the three, by role. */
const LINES: Record<string, Reply> = {
  presider: say('Bring the crown.', '@chancellor'),
  chancellor: say('Here is the crown.'),
  'presider-with-crown': say('Do you swear the oath?', '@heir'),
  heir: say('I swear.'),
  'presider-with-oath': CROWNING,
}
const GUESTS = ['@chancellor', '@heir', '@archbishop']

function lineOf(request: ModelRequest): Reply {
  const [, , role] = /^I am ([a-z-]+), ([a-z-]+) at/.exec(request.messages[0]!.content) ?? []
  if (role === 'herald') {
    const step = request.messages[1]!.content.match(/^You said to /gm)?.length ?? 0
    return step < GUESTS.length ? say('The heir is crowned.', GUESTS[step]) : { content: 'All know.' }
  }
  return LINES[role ?? ''] ?? { content: 'I listen.' }
}

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
beforeAll(async () => {
  model.script(lineOf)
  await createSpace(world, '/abbey')
  await doAs(world, 'set-space', '/abbey', { field: 'permissions.do.set-space', value: true })
  for (const role of roles) await setRole(world, role)
  for (const [name, roleFlow] of Object.entries(flows)) {
    await world.birth({ name, cognition: 'llm', home: '/abbey', roleFlow: roleFlow as never })
  }
})

const lived = async (being: string) =>
  (await moments(world.db, being)).map(({ outcome, primary, stacked }) =>
    [outcome, primary, ...stacked].join(' '),
  )
const summonsOf = async (root: string) =>
  (await listChain(world.db, root))
    .filter(({ kind }) => kind === 'summon')
    .map(({ caller, being, content }) => `${caller?.name} → ${being}: ${content}`)

describe('a coronation', () => {
  let root: string

  it('goes from answer to answer: three beings, five moments, each with the hands of its step and no others', async () => {
    root = await tell(world, 'archbishop', 'Let the coronation begin.')
    await until(async () => (await moments(world.db, 'heir')).length === 2)
    expect(await lived('archbishop')).toEqual([
      'act presider',
      'act presider-with-crown',
      'act presider-with-oath',
    ])
    expect(await lived('chancellor')).toEqual(['act chancellor'])
    // The crowned heir is woken by the crown itself.
    expect(await lived('heir')).toEqual(['act heir', 'see resident sovereign'])
    expect((await factsOf(world, 'archbishop', 3)).map(({ reel, kind }) => [reel, kind])).toEqual([
      ['space:/abbey', 'quality:set'],
    ])
    expect(world.errors).toEqual([])
  })

  it('all of it has one root, by which the whole chain is listed', async () => {
    expect(await summonsOf(root)).toEqual([
      'operator → archbishop: Let the coronation begin.',
      'archbishop → chancellor: Bring the crown.',
      'chancellor → archbishop: Here is the crown.',
      'archbishop → heir: Do you swear the oath?',
      'heir → archbishop: I swear.',
    ])
    const chain = await listChain(world.db, root)
    for (const { id, inReplyTo } of chain.filter((entry) => entry.inReplyTo !== null)) {
      expect(chain.map((entry) => entry.id)).toContain(inReplyTo)
      expect((await findEntry(world.db, id))?.root).toBe(root)
    }
  })

  it('ends where the heir says that it will not: the archbishop hears it, and nobody is crowned', async () => {
    await doAs(world, 'set-space', '/abbey', { field: 'crown', value: null })
    const crowned = (await moments(world.db, 'heir')).length
    LINES.heir = { content: 'I will not.' }
    LINES['presider-with-oath'] = { content: 'So nobody is crowned today.' }
    await tell(world, 'archbishop', 'Once more.')
    const last = await until(async () => {
      const [moment] = (await listOutcomes(world.db, 'archbishop')).slice(-1)
      return moment?.primary === 'presider-with-oath' && moment.n > 3 && moment
    })
    expect(last.kind).toBe('see')
    const refused = (await listOutcomes(world.db, 'heir')).find(
      ({ n, primary }) => n > crowned && primary === 'heir',
    )
    expect(refused?.kind).toBe('act')
    Object.assign(LINES, { heir: say('I swear.'), 'presider-with-oath': CROWNING })
    expect((await moments(world.db, 'archbishop')).length).toBe(6)
  })

  it('a proclamation waits for nobody: its herald goes on from guest to guest, and is silent at the end', async () => {
    const told = await tell(world, 'herald', 'Proclaim it.', { expectReply: false })
    await until(async () => (await moments(world.db, 'herald')).length === 4)
    expect(await lived('herald')).toEqual(['act herald', 'act herald', 'act herald', 'see herald'])
    expect(await summonsOf(told)).toEqual([
      'operator → herald: Proclaim it.',
      'herald → chancellor: The heir is crowned.',
      'herald → heir: The heir is crowned.',
      'herald → archbishop: The heir is crowned.',
    ])
  })
})

describe('gather', () => {
  const SCRIPTS: [string, string][] = [
    ['yes-1', 'echo'],
    ['yes-2', 'echo'],
    ['yes-3', 'echo'],
    ['mute-1', 'silent'],
  ]
  beforeAll(async () => {
    for (const [name, script] of SCRIPTS) await world.birth({ name, cognition: 'scripted', script })
    await world.birth({ name: 'away', cognition: 'human' })
  })
  const ask = (targets: string[], need?: number, waitSeconds = 20) =>
    gather(world, {
      targets,
      content: 'aye?',
      as: 'operator',
      waitSeconds,
      ...(need === undefined ? {} : { need }),
    })

  it('K of N replies are enough, and later replies stay in the inbox', async () => {
    const gathered = await ask(['yes-1', 'away', 'yes-2'], 2)
    expect(gathered).toMatchObject({ complete: true, silent: [], waiting: ['@away'] })
    expect(gathered.replies.map(({ from, content }) => [from, content]).sort()).toEqual([
      ['@yes-1', 'aye?'],
      ['@yes-2', 'aye?'],
    ])
    for (const { correlation, from } of gathered.replies) {
      const [reply] = (await wakesOf(world, 'operator')).filter(({ inReplyTo }) => inReplyTo === correlation)
      expect(reply).toMatchObject({ root: correlation, caller: { name: from.slice(1) } })
    }
    expect((await inbox(world, 'operator')).map(({ from }) => from)).not.toContain('@yes-1')
  })

  it('says who said nothing and who has not answered, and ends when no more can come', async () => {
    expect(await ask(['yes-3', 'mute-1'])).toMatchObject({
      complete: false,
      replies: [{ from: '@yes-3' }],
      silent: [{ from: '@mute-1', outcome: 'see', reason: null }],
      waiting: [],
    })
    expect(await ask(['away'], 1, 1)).toMatchObject({ complete: false, replies: [], waiting: ['@away'] })
  })

  it('asks the others when one may not be asked, and says why it was not; it fails when none may', async () => {
    await world.birth({ name: 'gone', cognition: 'scripted', script: 'echo' })
    await doAs(world, 'end-being', '@gone', {})
    expect(await ask(['gone', 'yes-1', 'nobody-here', 'yes-2'], 2)).toMatchObject({
      complete: true,
      replies: [{ content: 'aye?' }, { content: 'aye?' }],
      silent: [
        { from: '@gone', outcome: 'refused', reason: 'BEING_ENDED' },
        { from: '@nobody-here', outcome: 'refused', reason: 'BEING_NOT_FOUND' },
      ],
    })
    await expect(ask(['gone', 'nobody-here'])).rejects.toMatchObject({ code: 'BEING_NOT_FOUND' })
  })

  it.each<[string, string[], number | undefined]>([
    ['nobody', [], undefined],
    ['a being twice', ['yes-1', 'yes-1'], undefined],
    ['more replies than beings', ['yes-1'], 2],
    ['no reply at all', ['yes-1'], 0],
  ])('refuses %s', async (_, targets, need) => {
    await expect(ask(targets, need)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })
})

describe('afterwards', () => {
  it('every moment replays, and no chain is broken', async () => {
    expect(model.requests.every(({ body }) => body !== null && beingOf(body) !== '')).toBe(true)
    await setFlow(world, 'herald', [])
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
