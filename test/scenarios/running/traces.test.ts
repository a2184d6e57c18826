import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { InMemorySpanExporter, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace'
import { exportTraces, positionIn } from '@treeos/telemetry'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live, play, setRole } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays } from '../../support/replaying.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
const folder = mkdtempSync(join(tmpdir(), 'treeos-traces-'))
afterAll(() => rmSync(folder, { recursive: true }))

beforeAll(async () => {
  await setRole(world, { name: 'guest', canSummon: [{ rel: 'asker' }], prompt: 'Answer whoever speaks.' })
  await world.birth({ name: 'ada', cognition: 'llm', role: 'guest' })
  await world.birthPuppet('puppet')
})

/** Exports all there is by one position. */
async function exportAll(exporter: SpanExporter, name: string, more: { withContent?: boolean } = {}) {
  await exportTraces(world.db, {
    exporter,
    position: positionIn(join(folder, name), world.reality.id, 0),
    reality: world.reality,
    resource: resourceFromAttributes({}),
    withContent: false,
    signal: new AbortController().signal,
    once: true,
    ...more,
  })
}

const idsOf = (spans: readonly ReadableSpan[]) => spans.map((span) => span.spanContext().spanId)
const agents = (spans: readonly ReadableSpan[]) =>
  spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'invoke_agent')

describe('traces of moments', () => {
  it('a summon is one trace: the moment of the asker, that of the being, its model and its answer', async () => {
    const { wake } = await live(world, 'ada', 'Who are you?')
    const exporter = new InMemorySpanExporter()
    await exportAll(exporter, 'summon')
    const spans = exporter.getFinishedSpans()
    const asked = agents(spans).find(({ attributes }) => attributes['treeos.wake.id'] === wake)
    expect(asked?.attributes).toMatchObject({ 'gen_ai.agent.name': '@ada', 'treeos.moment.outcome': 'act' })
    const trace = spans.filter((span) => span.spanContext().traceId === asked?.spanContext().traceId)
    expect(trace.map(({ name }) => name).sort()).toEqual([
      'chat test',
      'execute_tool summon',
      'execute_tool summon',
      'invoke_agent @ada',
      'invoke_agent @operator',
    ])
    const asker = trace.find(({ name }) => name === 'invoke_agent @operator')
    expect(asked?.parentSpanContext?.spanId).toBe(asker?.spanContext().spanId)
    expect(JSON.stringify(spans)).not.toContain('Who are you?')
  })

  it('contents go out where the operator says so', async () => {
    const exporter = new InMemorySpanExporter()
    await exportAll(exporter, 'content', { withContent: true })
    expect(JSON.stringify(exporter.getFinishedSpans())).toContain('Who are you?')
  })

  it('a refused call is a failed span', async () => {
    const { moment } = await play(world, 'puppet', { verb: 'do', action: 'no-such-thing', args: {} })
      .then((result) => ({ moment: result }))
      .catch((error: unknown) => ({ moment: error }))
    expect(moment).toBeDefined()
    const exporter = new InMemorySpanExporter()
    await exportAll(exporter, 'refused')
    const failed = agents(exporter.getFinishedSpans()).filter(({ attributes }) => attributes['error.type'])
    expect(failed.map(({ name }) => name)).toContain('invoke_agent @puppet')
  })

  it('an export that is cut anywhere and goes on loses none, and repeats only ids that were sent', async () => {
    for (let i = 0; i < 5; i++) await live(world, 'ada', `Question ${i}`)
    const whole = new InMemorySpanExporter()
    await exportAll(whole, 'whole')
    const wanted = new Set(idsOf(whole.getFinishedSpans()))
    const taken: ReadableSpan[] = []
    let calls = 0
    /** Takes a batch, and then fails as a process does that dies before it keeps its position. */
    const dying: SpanExporter = {
      export(spans, done) {
        calls += 1
        taken.push(...spans)
        done(calls % 2 === 1 ? { code: 1, error: new Error('killed') } : { code: 0 })
      },
      shutdown: async () => undefined,
    }
    await expect(exportAll(dying, 'cut')).rejects.toThrow('killed')
    await exportAll(dying, 'cut')
    expect(new Set(idsOf(taken))).toEqual(wanted)
    const before = taken.length
    await exportAll(dying, 'cut')
    expect(taken).toHaveLength(before)
  })

  it('a replay makes no span', async () => {
    const before = new InMemorySpanExporter()
    await exportAll(before, 'replay')
    await expectReplays(world)
    const after = new InMemorySpanExporter()
    await exportAll(after, 'replay')
    expect(before.getFinishedSpans().length).toBeGreaterThan(0)
    expect(after.getFinishedSpans()).toEqual([])
  })
})
