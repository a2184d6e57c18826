import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { readVitals, sumUp } from './vitals.ts'

const BUSY = `
treeos_moments_total{outcome="act",reason=""} 10
treeos_moments_total{outcome="failure",reason="LLM_FAILED"} 2
treeos_moments_total{outcome="failure",reason="LLM_TIMEOUT"} 1
treeos_moments_total{outcome="skipped",reason="superseded"} 1
treeos_model_calls_total{answer="call"} 6
treeos_model_calls_total{answer="failure"} 2
treeos_model_calls_total{answer="lost"} 1
treeos_model_tokens_total{kind="prompt"} 1200
treeos_model_tokens_total{kind="completion"} 80
treeos_beat_seconds_bucket{le="0.1",beat="think"} 4
treeos_beat_seconds_bucket{le="1",beat="think"} 8
treeos_beat_seconds_bucket{le="+Inf",beat="think"} 8
treeos_beat_seconds_sum{beat="think"} 4
treeos_beat_seconds_count{beat="think"} 8
treeos_beat_seconds_bucket{le="0.1",beat="liveMoments"} 10
treeos_beat_seconds_bucket{le="+Inf",beat="liveMoments"} 10
treeos_beat_seconds_sum{beat="liveMoments"} 0.2
treeos_beat_seconds_count{beat="liveMoments"} 10
treeos_inbox_waiting 3
treeos_inbox_oldest_seconds 12.5
treeos_worker_busy_ratio 0.4
treeos_worker_steps_waiting 3
treeos_worker_minds_asked 7`
const IDLE = 'treeos_inbox_waiting 4\ntreeos_inbox_oldest_seconds 12.6'
const BEGINS = 'treeos_worker_busy_ratio Nan\ntreeos_worker_steps_waiting Nan'
const CUT_OFF = 'treeos_inbox_waiting Nan\ntreeos_inbox_oldest_seconds Nan'
const sumOf = (...texts: string[]) => sumUp(texts)

describe('what workers counted', () => {
  it('is told in one summary', () => {
    expect(sumOf(BUSY)).toEqual({
      moments: {
        act: 10,
        see: 0,
        failure: 3,
        skipped: 1,
        reasons: { LLM_FAILED: 2, LLM_TIMEOUT: 1, superseded: 1 },
      },
      models: { calls: 9, failures: 2, lost: 1, promptTokens: 1200, completionTokens: 80 },
      slowestBeat: { name: 'think', meanSeconds: 0.5, p95Seconds: expect.closeTo(0.91) },
      wakes: { waiting: 3, oldestSeconds: 12.5 },
      load: { busy: 0.4, stepsWaiting: 3, mindsAsked: 7 },
    })
  })

  it('adds up over workers, but for the inboxes, of which each tells the same', () => {
    const { moments, models, slowestBeat, wakes } = sumOf(BUSY, BUSY, IDLE)
    expect(moments).toMatchObject({ act: 20, failure: 6, reasons: { LLM_FAILED: 4 } })
    expect(models).toMatchObject({ calls: 18, promptTokens: 2400 })
    expect(slowestBeat).toMatchObject({ meanSeconds: 0.5, p95Seconds: expect.closeTo(0.91) })
    expect(wakes).toEqual({ waiting: 4, oldestSeconds: 12.6 })
  })

  it.each([
    { what: 'the others tell, where one is cut off from Postgres', texts: [CUT_OFF, IDLE], waiting: 4 },
    { what: 'nobody tells, where all are', texts: [CUT_OFF], waiting: undefined },
  ])('$what, how long the line is', ({ texts, waiting }) => {
    expect(sumOf(...texts).wakes?.waiting).toBe(waiting)
  })

  it('has the load of the busiest worker, and what all of them have to do', () => {
    const other = 'treeos_worker_busy_ratio 0.9\ntreeos_worker_steps_waiting 1'
    expect(sumOf(BUSY, other, BEGINS).load).toEqual({ busy: 0.9, stepsWaiting: 4, mindsAsked: 7 })
    expect(sumOf(BEGINS).load).toBeNull()
  })

  it('has no slowest beat before the first one', () => {
    expect(sumOf(IDLE)).toMatchObject({ slowestBeat: null, moments: { act: 0 }, models: { calls: 0 } })
  })

  it('beyond the last bound, the slowest beats took that long at least', () => {
    const beats = [
      'treeos_beat_seconds_bucket{le="1",beat="think"} 1',
      'treeos_beat_seconds_bucket{le="+Inf",beat="think"} 9',
      'treeos_beat_seconds_sum{beat="think"} 90',
      'treeos_beat_seconds_count{beat="think"} 9',
    ]
    expect(sumOf(beats.join('\n')).slowestBeat).toEqual({ name: 'think', meanSeconds: 10, p95Seconds: 1 })
  })
})

describe('asking workers', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })
  async function serve(status: number, text: string): Promise<string> {
    const server = createServer((_, response) => response.writeHead(status).end(text)).listen(0, '127.0.0.1')
    servers.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`
  }

  it('hears those that answer, and names those that do not, or are not workers', async () => {
    const good = await serve(200, IDLE)
    const dead = 'http://127.0.0.1:1/metrics'
    const [broken, other] = [await serve(503, IDLE), await serve(200, 'up 1')]
    const { vitals, silent } = await readVitals([dead, good, broken, other])
    expect(vitals?.wakes).toEqual({ waiting: 4, oldestSeconds: 12.6 })
    expect(silent).toEqual([dead, broken, other])
  })

  it('has nothing to tell when nobody answers, or nobody is there', async () => {
    expect(await readVitals(['http://127.0.0.1:1/metrics'])).toMatchObject({ vitals: null })
    expect(await readVitals([])).toEqual({ vitals: null, silent: [] })
  })
})
