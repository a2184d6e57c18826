import { VERBS } from '@treeos/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseAnswer } from './answer.ts'

/** Ours, with at most one quoted name or value of the model's. */
const OUR_WORDS = /^model('s)? [\x20-\x7e]{1,400}$/
const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue())
const calls = {
  see: fc.record({ address: fc.string() }),
  do: fc.record({
    operation: fc.string(),
    target: fc.option(fc.string()),
    args: fc.dictionary(fc.string(), anything),
  }),
  summon: fc.record({ content: anything }),
  be: fc.record({ operation: fc.string(), args: fc.dictionary(fc.string(), anything) }),
}
const bad = fc.oneof(
  fc.record(
    { address: anything, operation: anything, target: anything, content: anything },
    { requiredKeys: [] },
  ),
  fc.constantFrom('{"__proto__":1}', '{"content":"\\u0000"}', '{"address":'),
  anything,
)
const call = fc.oneof(
  ...VERBS.map((name) =>
    fc.record({ name: fc.constant<unknown>(name), args: calls[name] as fc.Arbitrary<unknown> }),
  ),
  fc.record({ name: fc.oneof(fc.constantFrom(...VERBS), anything), args: bad }),
)
const written = (args: unknown) => (typeof args === 'string' ? args : JSON.stringify(args))
const toolCall = fc.oneof(
  { weight: 9, arbitrary: call.map(({ name, args }) => ({ function: { name, arguments: written(args) } })) },
  { weight: 1, arbitrary: anything },
)
const textCall = fc
  .tuple(
    fc.string(),
    fc.constantFrom('<tool_call>', '[TOOL_CALLS][', ''),
    call,
    fc.constantFrom('', '', ' ', 'x'),
  )
  .map(([before, mark, { name, args }, after]) => {
    const end = mark === '[TOOL_CALLS][' ? ']' : ''
    return `${mark === '' ? '' : before}${mark}${JSON.stringify({ name, arguments: args })}${end}${after}`
  })
const spoken = fc.oneof(fc.constant(null), fc.string(), textCall, anything)
const message = fc.oneof(
  { weight: 3, arbitrary: fc.record({ content: spoken, tool_calls: fc.array(toolCall, { maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ content: spoken }) },
  { weight: 1, arbitrary: anything },
)
const choice = fc.record({
  message,
  finish_reason: fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter'),
})
const completions = fc.oneof(
  { weight: 9, arbitrary: fc.record({ choices: fc.array(choice, { minLength: 1, maxLength: 2 }) }) },
  { weight: 1, arbitrary: fc.oneof(fc.record({ choices: anything }), anything) },
)

it('any completion is act, see or failure, the same each time, and never a throw', {
  timeout: 120_000,
}, () => {
  const met: Record<string, number> = { call: 0, see: 0, failure: 0 }
  fc.assert(
    fc.property(completions, fc.subarray([...VERBS]), (completion, offered) => {
      const answer = parseAnswer(completion, offered)
      const { decision } = answer
      met[decision.kind]! += 1
      if (JSON.stringify(parseAnswer(completion, offered)) !== JSON.stringify(answer)) return false
      if (decision.kind === 'failure') return OUR_WORDS.test(decision.message)
      return decision.kind === 'see' || VERBS.includes(decision.call.verb)
    }),
    { numRuns: 20_000 },
  )
  // What was tried was neither all garbage nor all good.
  for (const count of Object.values(met)) expect(count).toBeGreaterThan(1000)
})
