import { answer, defineExtension, defineOperation, defineRole, publishSignal, setQuality } from '@treeos/sdk'
import { z } from 'zod'

/** What can be done: pure, from what is asked and what stands there, to facts. */
const greet = defineOperation({
  name: 'hello:greet',
  description: 'Greets somebody, in front of everyone.',
  on: 'being',
  allow: ['anyone'],
  args: z.object({ words: z.string().min(1).max(200).describe('what is said') }),
  decide: ({ actor, target, args }) => ({
    facts: [
      setQuality(target, 'hello.greeted', { by: actor.name, words: args.words }),
      publishSignal('hello.last', target.name), // flows read it as world.hello.last
    ],
    result: { greeted: target.name },
  }),
})

/** What a being may be, and how far it reaches: absent lists mean none. */
const greeter = defineRole({
  name: 'hello:greeter',
  canSee: ['~'],
  canDo: ['hello:greet'],
  canSummon: [{ rel: 'asker' }],
  prompt: ({ me }) => `You are ${me.name}. Greet whoever speaks to you, once, and warmly.`,
})

/** Worn beside any other role, by whoever's flow says when. */
const cheered = defineRole({ name: 'hello:cheered', prompt: 'You were just greeted, and it shows.' })

export default defineExtension({
  name: 'hello',
  version: '0.1.0',
  roles: [greeter, cheered],
  operations: [greet],
  signals: { last: 'name of whoever was greeted last' },
  scripts: {
    // A mind without a model.
    'hello:doorman': ({ wake }) => answer(wake.from === null ? 'Nobody here.' : `Good day, @${wake.from}!`),
  },
  scene: [
    {
      verb: 'be',
      operation: 'birth',
      payload: { name: 'doorman', cognition: 'scripted', script: 'hello:doorman', role: 'hello:greeter' },
    },
    { verb: 'do', action: 'hello:greet', target: '@doorman', args: { words: 'Welcome!' } },
  ],
})
