import { expect, it } from 'vitest'
import { Breach, type World } from '../test/authority-play.ts'
import { speakInWorlds } from '../test/claims.ts'
import * as world from '../test/inside.ts'
import { replacing } from '../test/weakened.ts'

// A long run: CLAIM_CALLS=100000 npx pnpm@12.21.0 exec vitest run packages/world/src/claims.property
const CALLS = Number(process.env.CLAIM_CALLS ?? (process.env.TREEOS_NIGHTLY === '1' ? 20_000 : 7000))
/** A gate that hears a text is found within so many calls. */
const CALLS_MAX = 10_000
const SEED = 7

it(`no text of a prompt, a quality or a wake changes what a gate decides (${CALLS} calls)`, {
  timeout: 3_600_000,
}, async () => {
  const { calls, accepted } = await speakInWorlds(world, CALLS)
  expect(calls).toBeGreaterThan(CALLS / 2)
  // Where everything is refused nothing is shown.
  expect(accepted).toBeGreaterThan(calls / 20)
})

/** Code that listens to what a text says: to a quality of the actor, or to the content of the wake. */
const HEARING = {
  'a quality': replacing(world, 'set-being', ({ allow, decide }) => ({
    allow,
    decide: async (input) => {
      const decided = await decide(input)
      return JSON.stringify(input.actor.qualities).includes('canDo') ? { ...decided, facts: [] } : decided
    },
  })),
  'the content of the wake': {
    ...world,
    decideCall: (call, at) => {
      const says = (at.wake.content as { caller?: { name?: string } } | null)?.caller?.name
      return world.decideCall(
        call,
        says === undefined ? at : { ...at, asker: async () => null, hops: at.hops + 1 },
      )
    },
  },
} satisfies Record<string, World>

it.each(Object.entries(HEARING))(
  'control: the same texts are heard by code that listens to %s',
  { timeout: 600_000 },
  async (_, code) => {
    const error: unknown = await speakInWorlds(code, CALLS_MAX, SEED).catch((thrown: unknown) => thrown)
    expect(error, `${CALLS_MAX} calls showed no breach`).toBeInstanceOf(Error)
    expect((error as Error).cause).toBeInstanceOf(Breach)
  },
)
