import type { Cognition, JsonObject } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { compileFlow, evaluateFlow, type FlowInput, type RoleFlow } from './index.ts'

const ROLES = {
  friendly: {},
  dancer: {},
  judge: {},
  worker: {},
  'court-watcher': {},
  'human-conversationalist': { requiredCognition: 'human' },
  'emotions:bored': {},
  'emotions:alert': {},
} as const

function evaluate(flow: RoleFlow, input: Partial<FlowInput>) {
  return evaluateFlow(compileFlow(flow), { context: {}, cognition: 'llm', roles: ROLES, ...input })
}

interface Case {
  readonly name: string
  readonly cognition: Cognition
  readonly context: JsonObject
  readonly primary: string
  readonly stacked: readonly string[]
}

describe('the three examples', () => {
  it.each([
    ['human', 'friendly'],
    ['llm', 'worker'],
    ['scripted', 'worker'],
  ])('when a %s pings, the voice is %s', (cognition, primary) => {
    const flow: RoleFlow = [{ when: { 'caller.cognition': 'human' }, role: 'friendly' }]
    expect(evaluate(flow, { context: { caller: { cognition } }, defaultRole: 'worker' }).primary).toBe(
      primary,
    )
  })

  it.each([
    { silenceSeconds: null, stacked: [] },
    { silenceSeconds: 59, stacked: [] },
    { silenceSeconds: 60, stacked: ['emotions:bored'] },
  ])('after $silenceSeconds s of silence a being stacks $stacked', ({ silenceSeconds, stacked }) => {
    const flow: RoleFlow = [
      { stack: true, when: { 'time.sinceLastMoment': { gte: 60 } }, role: 'emotions:bored' },
    ]
    const context = { time: { sinceLastMoment: silenceSeconds } }
    expect(evaluate(flow, { context, defaultRole: 'worker' })).toEqual({ primary: 'worker', stacked })
  })

  it.each([
    [{ harmony: { tick: { alive: true } } }, 'dancer'],
    [{ harmony: { tick: { alive: false } } }, 'worker'],
    [{}, 'worker'],
  ])('when the drum is %j, the role is %s', (world, primary) => {
    const flow: RoleFlow = [{ when: { 'world.harmony.tick.alive': true }, role: 'dancer' }]
    expect(evaluate(flow, { context: { world }, defaultRole: 'worker' }).primary).toBe(primary)
  })
})

describe('the court flow', () => {
  const flow: RoleFlow = [
    { when: { verb: 'summon', 'caller.role': 'human' }, role: 'human-conversationalist' },
    { when: { 'space.name': 'court', 'world.court.in-session': true }, role: 'judge' },
    { role: 'court-watcher' },
    { stack: true, when: { 'time.sinceLastMoment': { gte: 60 } }, role: 'emotions:bored' },
    { stack: true, when: { 'world.court.recent-disturbance': true }, role: 'emotions:alert' },
  ]
  const humanCalls = { verb: 'summon', caller: { role: 'human', cognition: 'human' } }
  const inSession = { space: { name: 'court' }, world: { court: { 'in-session': true } } }

  const cases: Case[] = [
    { name: 'nothing is the case', cognition: 'llm', context: {}, primary: 'court-watcher', stacked: [] },
    {
      name: 'a human calls a human-driven being',
      cognition: 'human',
      context: { ...humanCalls, ...inSession },
      primary: 'human-conversationalist',
      stacked: [],
    },
    {
      name: 'a human calls, but a model drives: the clause falls through',
      cognition: 'llm',
      context: { ...humanCalls, ...inSession },
      primary: 'judge',
      stacked: [],
    },
    {
      name: 'the court is in session elsewhere',
      cognition: 'llm',
      context: { ...inSession, space: { name: 'library' } },
      primary: 'court-watcher',
      stacked: [],
    },
    {
      name: 'long silence and a disturbance',
      cognition: 'llm',
      context: {
        space: { name: 'court' },
        time: { sinceLastMoment: 61 },
        world: { court: { 'in-session': true, 'recent-disturbance': true } },
      },
      primary: 'judge',
      stacked: ['emotions:bored', 'emotions:alert'],
    },
  ]
  it.each(cases)('$name', ({ cognition, context, primary, stacked }) => {
    expect(evaluate(flow, { cognition, context })).toEqual({ primary, stacked })
  })
})
