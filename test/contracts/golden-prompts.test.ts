import { expect, it } from 'vitest'
import { goldenPrompts, keptPrompts } from '../support/golden-prompts.ts'

it('the prompts of all shipped roles are those in test/contracts/prompts; `pnpm run prompts` writes them again', async () => {
  const now = await goldenPrompts()
  const kept = await keptPrompts()
  expect([...kept.keys()].sort()).toEqual([...now.keys()].sort())
  for (const [file, text] of now) expect(text, file).toBe(kept.get(file))
})
