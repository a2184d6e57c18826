import { defineExtension, defineRole } from '@treeos/sdk'

const keeper = defineRole({
  name: 'diary:keeper',
  canSee: ['~'],
  canDo: ['set-being'],
  prompt:
    'You keep a diary of what is said to you. Whoever speaks to you has something for the diary: write one short line of ' +
    'it with set-being, and nothing else.',
})

/** Stacked on the keeper from the second moment on, so that the benchmark composes a stack. */
const practised = defineRole({
  name: 'diary:practised',
  prompt: 'There is something in your diary already. Go on in the same way.',
})

/** The beings of this benchmark. Each moment is one act, which writes one fact on the being's own reel. */
export const diary = defineExtension({
  name: 'diary',
  version: '1.0.0',
  roles: [keeper, practised],
  clauses: [
    { when: { verb: 'summon' }, role: keeper.spec.name },
    { stack: true, when: { 'me.quality.bench.said': { present: true } }, role: practised.spec.name },
  ],
  scripts: {
    'diary:write': ({ wake }) => ({
      kind: 'call',
      call: {
        verb: 'do',
        operation: 'set-being',
        target: null,
        args: {
          field: 'bench.said',
          value: `This is what I keep of it: ${JSON.stringify(wake.content).slice(0, 60)}`,
        },
      },
      content: null,
    }),
  },
})
