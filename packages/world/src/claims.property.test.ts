import { expect, it } from 'vitest'
import { Breach } from '../test/authority-play.ts'
import { speakInWorlds } from '../test/claims.ts'
import { type Mutation, withoutGuard } from '../test/mutants.ts'
import * as world from './index.ts'

// A long run: CLAIM_CALLS=100000 npx pnpm@12.21.0 exec vitest run packages/world/src/claims.property
const CALLS = Number(process.env.CLAIM_CALLS ?? 20_000)
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

/** Gates that hear a text. */
const HEARING: readonly Mutation[] = [
  {
    guard: 'the lists come from the lists of roles, not from their prompts',
    file: 'read/face.ts',
    text: "at.specs.map((spec) => ({ spec, prompt: '' }))",
    instead:
      "at.specs.map((spec) => ({ spec: spec.prompt.includes('canDo') ? { ...spec, canDo: [{ pattern: '*' }] } : spec, prompt: '' }))",
  },
  {
    guard: 'the list gate reads lists, not qualities',
    file: 'gates/list-gate.ts',
    text: 'if (decision.allowed) return decision.by',
    instead:
      "if (decision.allowed || JSON.stringify(me.qualities).includes('canDo')) return String(decision.by)",
  },
  {
    guard: 'the asker comes from the row of the wake, not from its content',
    file: 'verbs/summon.ts',
    text: 'const asker = wake.caller?.name ?? null',
    instead: 'const asker = (wake.content as any)?.caller?.name ?? wake.caller?.name ?? null',
  },
]

it.each(HEARING)(
  'control: the same texts are heard without this: $guard',
  {
    timeout: 600_000,
  },
  async (mutation) => {
    const error: unknown = await withoutGuard(mutation, (code) => speakInWorlds(code, CALLS_MAX, SEED)).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error, `${CALLS_MAX} calls showed no breach`).toBeInstanceOf(Error)
    expect((error as Error).cause).toBeInstanceOf(Breach)
  },
)
