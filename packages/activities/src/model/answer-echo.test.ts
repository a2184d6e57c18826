import type { JsonObject } from '@treeos/core'
import { ECHO_MASK, maskEcho } from '@treeos/overlay'
import { expect, it } from 'vitest'
import { parseAnswer } from './answer.ts'

const answered = (name: string, args: JsonObject) => ({
  choices: [{ message: { tool_calls: [{ function: { name, arguments: JSON.stringify(args) } }] } }],
})

it.each([
  ['ASCII', 'Answer like a "tired" lighthouse keeper in a storm,\nand never smile.'],
  ['another script', 'Отвечай как смотритель маяка, который очень устал.'],
  ['pairs of surrogates', '🌊🌊🌊⛵⛵ sail as if each wave were the last one 🌊🌊🌊🌊'],
])('a failure that quotes a model is masked too, with an overlay in %s', (_what, overlay) => {
  for (const completion of [answered(overlay, {}), answered('do', { operation: 'x', [overlay]: 1 })]) {
    const { decision } = parseAnswer(completion, ['do'])
    const message = (of: unknown) => (of as { message: string }).message
    const told = message(maskEcho(decision as unknown as JsonObject, [overlay]))
    expect(told).toContain(ECHO_MASK)
    expect(told.length).toBeLessThan(message(decision).length)
    const decoded = told.replace(/\\u([0-9a-f]{4})/gu, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    for (let i = 0; i + 16 <= overlay.length; i++) expect(decoded).not.toContain(overlay.slice(i, i + 16))
  }
})
