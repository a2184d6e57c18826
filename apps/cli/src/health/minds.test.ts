import { describe, expect, it } from 'vitest'
import { judgeCall, judgeMinds } from './minds.ts'

const owl = { model: 'owl', baseUrl: 'http://127.0.0.1:1/v1', fault: null }
const told = (pid: number, minds: Partial<Parameters<typeof judgeMinds>[0][number]['minds']> = {}) => ({
  pid,
  minds: { mind: owl, connections: {}, ...minds },
})

describe('judgeMinds', () => {
  it('says what the worker has, and each of its connections', () => {
    const judge = { ...owl, model: 'judge-1', fault: 'refuses the key (401)' }
    expect(judgeMinds([told(1, { connections: { judge } })], '')).toMatchObject([
      { name: 'mind', ok: true, found: 'owl at http://127.0.0.1:1/v1', optional: true },
      {
        name: 'mind judge',
        ok: false,
        found: 'judge-1 at http://127.0.0.1:1/v1: refuses the key (401)',
        mend: expect.stringContaining('TREEOS_MODELS'),
      },
    ])
  })

  it('names two workers that have different models', () => {
    const [check, ...more] = judgeMinds([told(1), told(2, { mind: null })], ' --data x')
    expect(more).toEqual([])
    expect(check).toMatchObject({
      ok: false,
      found:
        'the workers have different models: process 1 has owl at http://127.0.0.1:1/v1; process 2 has none',
      mend: expect.stringContaining('treeos down --data x'),
    })
  })

  it('compares models only, not whether they answer at this moment', () => {
    const away = told(2, { mind: { ...owl, fault: 'answers 503' } })
    expect(judgeMinds([told(1), away], '')).toMatchObject([{ name: 'mind', ok: true }])
  })

  it('says that no model is connected', () => {
    expect(judgeMinds([told(1, { mind: null })], '')).toMatchObject([
      { ok: false, found: expect.stringMatching(/^no model is connected/) },
    ])
  })
})

describe('judgeCall', () => {
  it('is content with a call, and tells what the endpoint does not take', () => {
    const probed = { fault: null, said: null, without: [], sees: null }
    expect(judgeCall('owl at x', probed)).toMatchObject({ ok: true, found: 'owl at x calls tools' })
    const found = 'owl at x calls tools (asked without strict, stream_options)'
    expect(judgeCall('owl at x', { ...probed, without: ['strict', 'stream_options'] })).toMatchObject({
      ok: true,
      found,
    })
  })

  it('tells whether the model sees pictures', () => {
    const probed = { fault: null, said: null, without: [] }
    expect(judgeCall('owl', { ...probed, sees: true }).found).toBe('owl calls tools, and sees pictures')
    expect(judgeCall('owl', { ...probed, sees: false }).found).toBe(
      'owl calls tools, and told nothing of a picture',
    )
  })

  it("shows the fault and the server's own words", () => {
    const probed = { fault: 'model answered 404', said: 'try pulling it first', without: [], sees: null }
    expect(judgeCall('owl at x', probed)).toMatchObject({
      ok: false,
      found: 'owl at x: model answered 404; the server says: try pulling it first',
    })
    expect(judgeCall('owl at x', { ...probed, said: null }).found).toBe('owl at x: model answered 404')
  })
})
