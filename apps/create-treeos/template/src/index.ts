import {
  answer,
  defineExtension,
  defineOperation,
  defineRole,
  publishSignal,
  setQuality,
  silence,
} from '@treeos/sdk'
import { z } from 'zod'

/** An operation. `decide` is pure: it gets the actor, the target and the arguments, and returns facts. */
const greet = defineOperation({
  name: 'hello:greet',
  description: 'Greets somebody in public.',
  on: 'being',
  allow: ['anyone'],
  args: z.strictObject({ words: z.string().min(1).max(200).describe('the words of the greeting') }),
  decide: ({ actor, target, args }) => ({
    facts: [
      setQuality(target, 'hello.greeted', { by: actor.name, words: args.words }),
      publishSignal('hello.last', target.name), // role flows read it as world.hello.last
    ],
  }),
})

/** A role: what its wearer may see, do and summon. A list that is left out allows nothing. */
const greeter = defineRole({
  name: 'hello:greeter',
  canSee: ['~'],
  canDo: ['hello:greet'],
  canSummon: [{ rel: 'asker' }],
  prose: 'answers',
  selfContinue: 'until-answered',
  prompt: ({ me }) => `You are ${me.name}. Greet whoever speaks to you, once, and warmly.`,
})

const cheered = defineRole({ name: 'hello:cheered', prompt: 'You were just greeted, and it shows.' })

const cheer = { stack: true, when: { 'world.hello.last': 'doorman' }, role: 'hello:cheered' }
const doorman = { name: 'doorman', cognition: 'scripted', script: 'hello:doorman' }

export default defineExtension({
  name: 'hello',
  version: '0.1.0',
  roles: [greeter, cheered],
  operations: [greet],
  signals: { last: 'the being that was greeted last' },
  scripts: {
    'hello:doorman': ({ wake }) => (wake.from === null ? silence : answer(`Good day, @${wake.from}!`)),
  },
  scene: [
    { verb: 'be', operation: 'birth', args: { ...doorman, roleFlow: [{ role: 'hello:greeter' }, cheer] } },
    { verb: 'do', operation: 'hello:greet', target: '@doorman', args: { words: 'Welcome!' } },
  ],
})
