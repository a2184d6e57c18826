import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { compileFlow, evaluateFlow, explainFlow } from './index.ts'

const HERE = new URL('.', import.meta.url)
const CORE = new URL('../../core/src/', HERE)
const CLOCK = 'Date|performance|set(Timeout|Interval|Immediate)'
const CHANCE = 'Math\\.random|crypto'
const OUTSIDE = 'process|globalThis|fetch|import\\s*\\(|Intl|toLocale\\w+'
const IMPURE = new RegExp(`\\b(${CLOCK}|${CHANCE}|${OUTSIDE})`)

/** Every file that loading a module loads, with its code: comments and strings are not code. */
function importGraph(entry: URL): Map<string, string> {
  const files = new Map<string, string>()
  const pending = [entry]
  for (const file of pending) {
    if (files.has(file.href)) continue
    const source = readFileSync(fileURLToPath(file), 'utf8')
    for (const [, specifier] of source.matchAll(/^(?:import|export|\})[^'\n]*?from '([^']+)'/gm)) {
      pending.push(resolve(specifier!, file))
    }
    for (const [, specifier] of source.matchAll(/^import '([^']+)'/gm))
      pending.push(resolve(specifier!, file))
    files.set(file.href, source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'[^'\n]*'|`[^`]*`/gm, ''))
  }
  return files
}

function resolve(specifier: string, from: URL): URL {
  if (specifier === '@treeos/core') return new URL('index.ts', CORE)
  const file = new URL(specifier, from)
  const isOwn = [HERE, CORE].some(({ href }) => file.href.startsWith(href))
  if (specifier.startsWith('.') && isOwn) return file
  throw new Error(`${from.href} imports ${specifier}: only @treeos/core and own files are allowed`)
}

describe('the evaluator imports no clock, no chance and no I/O', () => {
  it.each(['evaluate/evaluate.ts', 'explain/explain.ts', 'workflow.ts', 'evaluate/compose.ts'])(
    'neither does anything %s loads',
    (file) => {
      const graph = importGraph(new URL(file, HERE))
      expect([...graph.keys()]).toContain(new URL('index.ts', CORE).href)
      expect([...graph].filter(([, code]) => IMPURE.test(code)).map(([href]) => href)).toEqual([])
    },
  )

  it('the check finds an impure call', () => {
    expect(IMPURE.test('const now = Date.now()')).toBe(true)
    expect(() => resolve('node:fs', HERE)).toThrow(/only @treeos\/core/)
    expect(importGraph(new URL('evaluate/evaluate.ts', HERE)).size).toBeGreaterThan(8)
  })

  it('the workflow door exports what an evaluation needs, and no prompt', async () => {
    expect(Object.keys(await import('./workflow.ts')).sort()).toEqual([
      'checkWake',
      'compileFlow',
      'evaluateFlow',
      'flowPaths',
      'flowRoles',
      'pinStack',
      'sliceContext',
      'worldNamespaces',
    ])
    const loaded = [...importGraph(new URL('workflow.ts', HERE)).keys()]
    expect(loaded.filter((href) => /compose|parse-role|json-lines/.test(href))).toEqual([])
  })
})

it('the same inputs give the same stack 1000 times, for any clock and any random numbers', () => {
  const flow = [
    {
      when: { not: { 'time.hour': { lt: 9 } }, or: [{ verb: 'do' }, { 'world.x': ['a', null] }] },
      role: 'worker',
    },
    { stack: true, when: { 'time.sinceLastMoment': { gte: 60 } }, role: 'bored' },
  ]
  const context = { verb: 'summon', time: { hour: 9, sinceLastMoment: 60 }, world: { x: null } }
  const input = { context, cognition: 'llm', roles: { worker: {}, bored: {} } } as const
  const compiled = compileFlow(flow)
  vi.useFakeTimers({ now: 0 })
  vi.spyOn(Math, 'random').mockImplementation(() => expect.unreachable())
  const answers = new Set<string>()
  for (let run = 0; run < 1000; run++) {
    vi.advanceTimersByTime(3_600_000)
    answers.add(JSON.stringify([evaluateFlow(compiled, input), explainFlow(compileFlow(flow), input)]))
  }
  vi.useRealTimers()
  vi.restoreAllMocks()
  expect(answers.size).toBe(1)
  expect(evaluateFlow(compiled, input)).toEqual({ primary: 'worker', stacked: ['bored'] })
})
