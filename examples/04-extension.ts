/**
 * 4. An extension: one manifest of data and pure functions. A worker loads it by its default export.
 *   node examples/04-extension.ts                                                       tries its pure parts
 *   TREEOS_EXTENSIONS=./examples/04-extension.ts npx treeos up --demo greenhouse        runs it
 */
import { answer, defineExtension, defineRole, silence } from '@treeos/sdk'
import { being, renderPrompt, runScript } from '@treeos/sdk/testing'

const gardener = defineRole({
  name: 'greenhouse:gardener',
  canSee: ['~'],
  canSummon: [{ rel: 'asker' }],
  prose: 'answers',
  prompt: ({ me }) => `You are ${me.name}. You know every plant of the greenhouse.`,
})

const greenhouse = defineExtension({
  name: 'greenhouse',
  version: '1.0.0',
  roles: [gardener],
  scripts: {
    'greenhouse:flora': ({ wake }) =>
      wake.from === null ? silence : answer(`The figs are ripe, @${wake.from}.`),
  },
  scene: [
    {
      verb: 'be',
      operation: 'birth',
      args: {
        name: 'flora',
        cognition: 'scripted',
        script: 'greenhouse:flora',
        roleFlow: [{ role: 'greenhouse:gardener' }],
      },
    },
  ],
})
export default greenhouse

if (import.meta.main) {
  const flora = being({ name: 'flora' })
  console.log(await renderPrompt(greenhouse, 'greenhouse:gardener', { me: flora }))
  const decision = await runScript(greenhouse, 'greenhouse:flora', {
    me: flora,
    wake: { from: 'ann', content: 'Well?' },
  })
  console.log(JSON.stringify(decision))
}
