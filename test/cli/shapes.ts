import { expect } from 'vitest'

export const HEX = /^[0-9a-f]{64}$/
export const UUID = /^[0-9a-f-]{36}$/

/** A fact as the commands that act print it. */
export const fact = (kind: string, reel: string) => ({
  kind,
  reel,
  seq: expect.any(Number),
  hash: expect.stringMatching(HEX),
})

/** What an act of the operator prints. */
export const done = (facts: unknown[]) => ({
  act: expect.stringMatching(/^operator\/\d+\/\d+$/),
  result: expect.anything(),
  facts,
})
