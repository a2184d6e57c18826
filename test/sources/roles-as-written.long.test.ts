/** The role of a worker as the document on roles writes it, at the command line of an instance with the factory. */
import { describe, expect, it } from 'vitest'
import { useInstance } from '../cli/instance.ts'
import { useModelServer } from '../support/use-world.ts'

const model = useModelServer()
const home = useInstance({ modelServer: model, up: ['--no-portal', '--demo', 'factory'] })

const WORKER = (prompt: string) => `{
name: "factory-worker",
canSee: ["station", "conveyor", "qa-dashboard"],
canDo: ["operate-lathe", "attach-trucks", "log-defect"],
canSummon: ["supervisor"],
canBe: [],
prompt: ${prompt},
}`

describe('the role of a factory worker', () => {
  it('is taken with its prompt as text; as a function it is code, which only an extension brings', async () => {
    const refused = await home.refusal(['role', 'set', '-'], {
      input: WORKER(`() => "You're a worker at SkateCo's main factory. The line moves at..."`),
    })
    expect(refused.message).toContain('prompt is code; only an extension brings code')
    await home.json(['role', 'set', '-'], { input: WORKER(`"You're a worker at SkateCo's main factory."`) })
    const shown = await home.json<{ spec: Record<string, unknown> }>(['role', 'show', 'factory-worker'])
    expect(shown.spec ?? shown).toMatchObject({
      canDo: ['factory:operate-lathe', 'factory:attach-trucks', 'factory:log-defect'],
      canSummon: ['supervisor'],
    })
  })
})
