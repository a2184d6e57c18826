import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { StoredOutcome } from '@treeos/store'
import { describe, expect, it } from 'vitest'
import type { FinishedMoment } from './read-moments.ts'
import { spansOf } from './spans.ts'

const OPENED = 1_700_000_000_000
const options = { resource: resourceFromAttributes({}), reality: 'r-1', withContent: false }

const moment = (more: Partial<FinishedMoment> = {}, end: Partial<StoredOutcome> = {}): FinishedMoment => ({
  outcome: {
    moment: 'm-1',
    being: 'solomon',
    n: 7,
    kind: 'act',
    reason: null,
    detail: null,
    result: null,
    wake: 'w-1',
    sealedAt: OPENED + 900,
    primary: 'judge',
    prev: '00',
    hash: 'ff',
    record: {
      openedAt: OPENED,
      by: ['canSummon: @operator'],
      facts: [],
      act: 'aa',
      stack: { primary: { name: 'judge', digest: 'd' }, stacked: [{ name: 'calm', digest: 'e' }] },
      stackDigest: 'cc',
    },
    ...end,
  } as unknown as StoredOutcome,
  open: null,
  thread: 'root-1',
  cause: 'm-0',
  heard: null,
  decision: {
    kind: 'call',
    call: { verb: 'summon', target: '@operator', content: 'SECRET', inReplyTo: null },
    content: 'SECRET',
  },
  usage: { model: 'qwen', promptTokens: 100, completionTokens: 9, seconds: 0.5 },
  faults: [],
  effect: null,
  ...more,
})

describe('the spans of a moment', () => {
  it('are the agent, the call of its model within the moment, and what it called', () => {
    const [agent, chat, tool] = spansOf(moment(), options)
    expect([agent?.name, chat?.name, tool?.name]).toEqual([
      'invoke_agent @solomon',
      'chat qwen',
      'execute_tool summon',
    ])
    expect(agent).toMatchObject({
      startTime: [OPENED / 1000, 0],
      endTime: [OPENED / 1000, 900_000_000],
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.conversation.id': 'root-1',
        'treeos.role.primary': 'judge',
        'treeos.role.stacked': ['calm'],
        'treeos.digest.stack': 'cc',
        'treeos.moment.hash': 'ff',
      },
    })
    expect(chat).toMatchObject({
      kind: SpanKind.CLIENT,
      startTime: [OPENED / 1000, 0],
      endTime: [OPENED / 1000, 500_000_000],
      attributes: { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 9 },
    })
    for (const part of [chat, tool]) expect(part?.parentSpanContext?.spanId).toBe(agent?.spanContext().spanId)
  })

  it('have ids that follow from the thread and the moment, so a second export gives the same', () => {
    const ids = (more?: Partial<FinishedMoment>) =>
      spansOf(moment(more), options).map((span) => Object.values(span.spanContext()).join())
    expect(ids()).toEqual(ids())
    expect(new Set(ids()).size).toBe(3)
    const [first] = spansOf(moment(), options)
    expect(first?.spanContext()).toEqual({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      traceFlags: 1,
    })
  })

  it('hang on the moment that caused this one, in the trace of the thread', () => {
    const [effect] = spansOf(moment(), options)
    const [cause] = spansOf(moment({ cause: null }, { moment: 'm-0' }), options)
    expect(effect?.parentSpanContext).toEqual(cause?.spanContext())
    expect(cause?.parentSpanContext).toBeUndefined()
  })

  it('show each failed attempt with its own time, before the call that answered', () => {
    const faults = [{ part: 'model' as const, attempt: 1, at: OPENED + 200, seconds: 0.1, message: 'SECRET' }]
    const [, failed, answered] = spansOf(moment({ faults }), options)
    expect(failed).toMatchObject({
      startTime: [OPENED / 1000, 100_000_000],
      endTime: [OPENED / 1000, 200_000_000],
      status: { code: SpanStatusCode.ERROR, message: 'LLM_FAILED' },
    })
    expect(answered?.startTime).toEqual([OPENED / 1000, 200_000_000])
  })

  it('of a refused call are failed ones, with its code', () => {
    const end = { kind: 'failure' as const, reason: 'FORBIDDEN', detail: 'SECRET' }
    const spans = spansOf(moment({}, end), options)
    for (const span of [spans[0], spans[2]])
      expect(span).toMatchObject({
        status: { code: SpanStatusCode.ERROR, message: 'FORBIDDEN' },
        attributes: { 'error.type': 'FORBIDDEN' },
      })
  })

  it('hold no contents, unless those are wanted', () => {
    const faults = [
      { part: 'model' as const, attempt: 1, at: OPENED + 1, seconds: 0, message: 'SECRET' },
      { part: 'effect' as const, attempt: 1, at: OPENED + 2, seconds: 0, message: 'SECRET' },
    ]
    const end = { kind: 'failure' as const, reason: 'X', detail: 'SECRET', result: 'SECRET' }
    const texts = (withContent: boolean) =>
      JSON.stringify(spansOf(moment({ faults, heard: 'SECRET' }, end), { ...options, withContent }))
    expect(texts(false)).not.toContain('SECRET')
    const all = texts(true)
    for (const name of ['gen_ai.input.messages', 'gen_ai.output.messages', 'gen_ai.tool.call.arguments'])
      expect(all).toContain(name)
  })

  it('of a moment that decided nothing are one span', () => {
    expect(spansOf(moment({ decision: null, usage: null }), options)).toHaveLength(1)
  })
})
