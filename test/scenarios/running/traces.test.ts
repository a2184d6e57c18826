import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { InMemorySpanExporter, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace'
import { type ExportOptions, exportTraces, positionIn } from '@treeos/telemetry'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live, play, setRole } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays } from '../../support/replays.ts'
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
async function exportAll(exporter: SpanExporter, name: string, more: Partial<ExportOptions> = {}) {
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
    const { moment } = await play(world, 'puppet', { verb: 'do', operation: 'no-such-thing', args: {} })
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

  /** Refuses batches that hold spans of some moments, as a collector does that cannot read them. */
  const refusing = (
    isPoison: (span: ReadableSpan) => boolean,
    taken: ReadableSpan[],
    status = 400,
  ): SpanExporter => ({
    export(spans, done) {
      const isRefused = spans.some(isPoison)
      if (!isRefused) taken.push(...spans)
      done(
        isRefused
          ? { code: 1, error: Object.assign(new Error('Bad Request'), { code: status }) }
          : { code: 0 },
      )
    },
    shutdown: async () => undefined,
  })
  const momentIn = ({ attributes }: ReadableSpan) => attributes['treeos.moment.id']

  it('a moment that the collector refuses for good is named and left out, and all others go out', async () => {
    const whole = new InMemorySpanExporter()
    await exportAll(whole, 'before-poison')
    const poison = momentIn(agents(whole.getFinishedSpans()).at(-2)!)
    expect(poison).toEqual(expect.any(String))
    const trace = (span: ReadableSpan) => momentIn(span) === poison
    const taken: ReadableSpan[] = []
    const leftOut: string[] = []
    await exportAll(refusing(trace, taken), 'poison', { onLeftOut: (moment) => leftOut.push(moment) })
    expect(leftOut).toEqual([poison])
    const others = agents(whole.getFinishedSpans()).filter((span) => !trace(span))
    expect(new Set(idsOf(agents(taken)))).toEqual(new Set(idsOf(others)))
    expect(agents(taken)).toHaveLength(others.length)
  })

  it.each([400, 404, 401, 503])(
    'nothing is left out where the collector takes nothing, and answers %d',
    async (status) => {
      const leftOut: string[] = []
      const exporter = refusing(() => true, [], status)
      const sending = exportAll(exporter, `none-${status}`, { onLeftOut: (moment) => leftOut.push(moment) })
      await expect(sending).rejects.toThrow('Bad Request')
      expect(leftOut).toEqual([])
      const whole = new InMemorySpanExporter()
      await exportAll(whole, `none-${status}`)
      expect(whole.getFinishedSpans().length).toBeGreaterThan(0)
    },
  )

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
