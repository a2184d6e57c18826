/** Where an overlay reaches a model besides a conversation: skills, tasks and schedules. */

import { type ActResult, budget, invoke, moments, putOverlay, task } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import library from '@treeos/library'
import { checkCommitment } from '@treeos/overlay'
import { taskWorkflowId } from '@treeos/protocol'
import { fetchRuns, replayFromTemporal } from '@treeos/replay'
import { defineExtension, defineSignature, defineSkill, defineTask } from '@treeos/sdk'
import { findEffect, listOutcomes, setStoredOverlay } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { doAs, until } from '../../support/life.ts'
import type { ModelRequest } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken, openReplayer } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const shape = {
  task: 'Say how the text feels.',
  inputs: z.object({ text: z.string().describe('the text') }),
  outputs: z.object({ mood: z.enum(['calm', 'angry']), why: z.string() }),
}
const judge = defineTask({
  name: 'moods:judge',
  description: 'Judges the mood of a text.',
  on: 'being',
  allow: ['self'],
  attempts: 2,
  entry: defineSignature({ name: 'moods:judge', ...shape }),
})
const second = defineSignature({ name: 'moods:second', ...shape })
const twice = defineSkill({
  name: 'moods:twice',
  description: 'Judges twice.',
  on: 'being',
  allow: ['self'],
  entry: defineSignature({ name: 'moods:first', ...shape }),
  async run({ args, ask }) {
    const { mood } = await ask(second, args)
    return { mood, why: 'the second said so' }
  },
})
const plain = { name: 'moods', version: '1.0.0' }
const moods = defineExtension({ ...plain, skills: [twice], tasks: [judge] })

const OVERLAY = 'Approach this like a tired lighthouse keeper, sentinel-77ab.'
const userOf = ({ messages }: ModelRequest): string => String(messages.at(-1)?.content)
const model = useModelServer()
const world = useWorld({ modelServer: model, extensions: [stage, library, moods] })
const last = () => model.requests.at(-1)!.body!
const give = (args: JsonObject) => model.script(() => ({ tool: { name: 'answer', args } }))
const text = 'The sea is flat.'
const summarize = (more: object = {}): Promise<ActResult & { salt?: string }> =>
  invoke(world, {
    as: 'operator',
    operation: 'library:summarize',
    target: '/library',
    args: { text },
    ...more,
  })
const setWorkspace = (content: string, applies: string[] | null = null) =>
  setStoredOverlay(
    world.db,
    { tier: 'workspace', scope: 'reality', name: 'tone' },
    { content, applies, by: 'operator' },
  )
const effectOf = async (moment: string | null) => (await findEffect(world.db, moment ?? ''))?.result

beforeAll(() => give({ summary: 'Flat sea.' }))

describe('a skill', () => {
  it('is one call of its entry Signature, and its outputs are the recorded result of the operation', async () => {
    const { result, act } = await summarize()
    expect(result).toEqual({ summary: 'Flat sea.' })
    expect(last()).toMatchObject({
      tool_choice: 'required',
      tools: [{ function: { name: 'answer', parameters: { required: ['summary'] } } }],
    })
    expect(last().messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(userOf(last())).toBe(`[text]\n| ${text}`)
    expect(await effectOf(act)).toEqual({ value: { summary: 'Flat sea.' } })
  })

  it('gets an overlay as the input role, by the same Signature, and only its commitment is recorded', async () => {
    await summarize()
    const { system: before } = { system: last().messages[0] }
    const { act, salt } = await summarize({ overlay: { content: OVERLAY } })
    expect(last().messages[0]).toEqual(before)
    expect(userOf(last())).toMatch(
      /^\[role\]\n[\s\S]*\| Approach this like[\s\S]*\n\n\[text\]\n\| The sea is flat[.]$/,
    )
    const stored = await effectOf(act)
    expect(stored).toMatchObject({ overlays: [{ tiers: ['call'], mode: 'block' }] })
    expect(checkCommitment(stored!.overlays![0]!.commitment, salt!, OVERLAY)).toBe(true)
    expect(JSON.stringify(stored)).not.toContain('sentinel')
  })

  it('attaches an overlay to its entry, and to another Signature only when it names that one', async () => {
    give({ mood: 'calm', why: 'flat' })
    const judged = async (appliesTo?: string[]) => {
      const overlay = { content: OVERLAY, ...(appliesTo === undefined ? {} : { appliesTo }) }
      await invoke(world, {
        as: 'operator',
        operation: 'moods:twice',
        target: '@operator',
        args: { text },
        overlay,
      })
      return userOf(last()).includes(OVERLAY)
    }
    expect(await judged()).toBe(false) // its run calls the second Signature alone
    expect(await judged(['moods:first'])).toBe(false)
    expect(await judged(['moods:second'])).toBe(true)
    give({ summary: 'Flat sea.' })
  })

  it('an echo of the overlay is masked before it is recorded', async () => {
    give({ summary: `They said: ${OVERLAY}` })
    const { result } = await summarize({ overlay: { content: OVERLAY } })
    expect(result).toEqual({ summary: 'They said: [overlay]' })
    give({ summary: 'Flat sea.' })
  })

  it.each([
    [
      'outputs that do not fit',
      () => ({ tool: { name: 'answer', args: { summary: [OVERLAY] } } }),
      'LLM_FAILED',
    ],
    ['no outputs', () => ({ content: OVERLAY }), 'LLM_FAILED'],
    [
      'a refusal that quotes the prompt',
      () => ({ status: 400, body: { error: { message: OVERLAY } } }),
      'LLM_FAILED',
    ],
    ['an outage', () => ({ status: 503, body: { error: { message: OVERLAY } } }), 'INTERNAL'],
  ])('fails with a code and none of its words, by %s', async (_what, reply, code) => {
    model.script(reply as never)
    const error = await summarize({ overlay: { content: OVERLAY } }).then(
      () => null,
      (thrown: unknown) => thrown as Error,
    )
    expect(error).toMatchObject({ code })
    expect(error?.message).not.toContain('lighthouse')
    expect(JSON.stringify(world.faults)).not.toContain('lighthouse')
    give({ summary: 'Flat sea.' })
  })

  it('an overlay for an operation that calls no model is refused', async () => {
    const refused = invoke(world, {
      as: 'operator',
      operation: 'create-space',
      target: '/',
      args: { path: '/x' },
      overlay: { content: OVERLAY },
    })
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('an overlay whose vault is lost ends it, and the model is not asked', async () => {
    const asked = model.requests.length
    const handle = `${'v'.repeat(16)}.${'h'.repeat(43)}`
    await expect(summarize({ handle })).rejects.toMatchObject({ code: 'OVERLAY_LOST' })
    expect(model.requests).toHaveLength(asked)
  })

  it('passes both gates, and is paid from the budget of who invokes it', async () => {
    await world.birth({ name: 'bob', cognition: 'human', role: 'resident' })
    const asked = model.requests.length
    const refused = invoke(
      { ...world, person: 'bob' },
      {
        as: 'bob',
        operation: 'library:summarize',
        target: '/library',
        args: { text },
      },
    )
    await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(model.requests).toHaveLength(asked)
    await world.birth({ name: 'carla', cognition: 'human', role: 'stage:free' })
    const hers = () =>
      invoke(
        { ...world, person: 'carla' },
        { as: 'carla', operation: 'library:summarize', target: '/library', args: { text } },
      )
    await doAs(world, 'set-budget', '@carla', { tokens: 10 })
    await expect(hers()).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
    expect(model.requests).toHaveLength(asked)
    await doAs(world, 'set-budget', '@carla', { tokens: 1_000_000 })
    expect(await hers()).toMatchObject({ result: { summary: 'Flat sea.' } })
    const { used, held } = await budget(world, 'carla')
    expect(used.tokens).toBeGreaterThan(0)
    expect(used.tokens).toBeLessThan(4096) // the real cost, and not what was reserved
    expect(held.tokens).toBe(0)
  })
})

describe('task()', () => {
  const dispatch = (more: object = {}) => task(world, judge, { as: 'operator', inputs: { text }, ...more })

  it('is a typed child workflow, and no history holds a word of inputs, outputs or overlay', async () => {
    give({ mood: 'calm', why: 'a flat sea' })
    const { outputs, moment, salt } = await dispatch({ overlay: { content: OVERLAY } })
    expect(outputs).toEqual({ mood: 'calm', why: 'a flat sea' })
    expect(userOf(last())).toContain(OVERLAY)
    expect(checkCommitment((await effectOf(moment))!.overlays![0]!.commitment, salt!, OVERLAY)).toBe(true)
    const ids = [taskWorkflowId(world.reality.name, moment), `being/${world.reality.name}/operator`]
    for (const id of ids) {
      const history = JSON.stringify(await world.temporal.workflow.getHandle(id).fetchHistory())
      const decoded = history.replace(/"data":"([^"]+)"/gu, (_, data: string) =>
        Buffer.from(data, 'base64').toString(),
      )
      expect(decoded).toContain(moment)
      for (const word of ['lighthouse', 'flat', 'calm']) expect(decoded).not.toContain(word)
    }
  })

  it('accepts the handle of an overlay, once', async () => {
    const { handle } = await putOverlay(world, { use: 'call', of: 'operator' }, { content: OVERLAY })
    await dispatch({ handle })
    expect(userOf(last())).toContain(OVERLAY)
    await expect(dispatch({ handle })).rejects.toMatchObject({ code: 'OVERLAY_LOST' })
  })

  it('is found by its name, and refuses inputs that do not fit and names that no shape has', async () => {
    const byName = await task(world, 'moods:judge', { as: 'operator', inputs: { text } })
    expect(byName.outputs).toMatchObject({ mood: 'calm' })
    await expect(dispatch({ inputs: { text: 7 } })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(task(world, 'moods:no', { as: 'operator', inputs: {} })).rejects.toMatchObject({
      code: 'ACTION_NOT_SUPPORTED',
      message: expect.stringContaining('moods:judge'),
    })
  })

  it('fails with its code when the model gives other outputs', async () => {
    give({ mood: 'green', why: '' })
    await expect(dispatch()).rejects.toMatchObject({ code: 'LLM_FAILED' })
    model.script(() => ({ status: 503 }))
    await expect(dispatch()).rejects.toMatchObject({ code: 'INTERNAL' })
    give({ summary: 'Flat sea.' })
  })
})

describe('a scheduled moment', () => {
  it('resolves the overlays of the workspace and of the account when it fires', async () => {
    const heard: string[] = []
    model.script((request) => {
      heard.push(userOf(request))
      return { content: 'noted' }
    })
    await setWorkspace('workspace tone one')
    await world.birth({ name: 'warden', cognition: 'llm', role: 'resident' })
    await doAs(world, 'set-schedule', '@warden', { name: 'round', everySeconds: 1, content: 'Look around.' })
    const firedWith = (tone: string) => until(() => heard.some((user) => user.includes(tone)), { what: tone })
    await firedWith('workspace tone one')
    await setWorkspace('workspace tone two')
    await firedWith('workspace tone two')
    await setStoredOverlay(
      world.db,
      { tier: 'account', scope: 'operator', name: 'own' },
      { content: 'account tone', applies: null, by: 'operator' },
    )
    await setWorkspace('workspace tone three', ['moods:judge'])
    await firedWith('account tone') // of the nearest person among its makers
    await doAs(world, 'delete-schedule', '@warden', { name: 'round' })
    const lived = await moments(world.db, 'warden')
    expect(JSON.stringify(lived)).not.toContain('tone')
    expect(lived.at(-1)).toMatchObject({ overlay: { tiers: ['account'] } })
    expect(lived[0]).toMatchObject({ overlay: { tiers: ['workspace'] } })
  })
})

it('every moment replays identically, without a model and without an overlay', async () => {
  const asked = model.requests.length
  await expectReplays(world)
  await expectUnbroken(world)
  expect(model.requests).toHaveLength(asked)
})

it('a replay fails when one byte of what a task was dispatched with differs', async () => {
  const { temporal, reality, db } = world
  const [runs, outcomes] = [
    await fetchRuns(temporal, reality.name, 'operator', null),
    await listOutcomes(db, 'operator'),
  ]
  const replayer = await openReplayer()
  expect(await replayFromTemporal(replayer, 'operator', runs, outcomes)).toEqual([])
  const input = runs
    .flatMap(({ history }) => history.events ?? [])
    .map((event) => event.startChildWorkflowExecutionInitiatedEventAttributes?.input?.payloads?.[0])
    .find((payload) => payload != null)
  input!.data = Buffer.from(Buffer.from(input!.data!).toString().replace('moods:judge', 'moods:fudge'))
  const mismatches = await replayFromTemporal(replayer, 'operator', runs, outcomes)
  expect(mismatches.some(({ field }) => field.startsWith('command'))).toBe(true)
})
