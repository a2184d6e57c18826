/** An extension for realities that are generated: roles with every kind of list entry, and operations that ask a person and write nothing. */
import { defineExtension, defineOperation, defineRole } from '@treeos/sdk'
import { z } from 'zod'

export const ANY = [{ pattern: '*' }]
const decide = () => ({ facts: [], result: null })

export const manor = defineExtension({
  name: 'manor',
  version: '1.0.0',
  roles: [
    defineRole({
      name: 'manor:free',
      canSee: ANY,
      canDo: ANY,
      canSummon: ANY,
      canBe: ANY,
      prompt: 'You may reach for everything.',
    }),
    defineRole({
      name: 'manor:blind',
      views: 'only',
      canSee: ANY,
      canDo: ANY,
      canSummon: ANY,
      prompt: 'You are shown nothing.',
    }),
    defineRole({
      name: 'manor:maid',
      canSee: ['~', { rel: 'here' }, { rel: 'present' }, '/den', { pattern: '/den/*' }, 'matter:m1'],
      canDo: [
        'take',
        'put',
        'move',
        'set-being',
        'create-matter',
        'manor:mark',
        'set-schedule',
        'subscribe',
        'set-world-signal',
      ],
      canSummon: ['@operator', { rel: 'asker' }, { rel: 'parent' }, { rel: 'any-child' }],
      canBe: ['birth'],
      prompt: 'You keep the house.',
    }),
    defineRole({
      name: 'manor:guest',
      canSee: [{ rel: 'self' }, { pattern: 'den/@*' }, { rel: 'predecessor' }],
      canDo: [{ pattern: 'set-*' }],
      canSummon: [{ pattern: '/@*' }],
      prompt: 'You are a guest.',
    }),
    defineRole({ name: 'manor:mute', respondMode: 'none', canSummon: ANY, prompt: 'You say little.' }),
    defineRole({
      name: 'manor:busy',
      selfContinue: true,
      canSee: ANY,
      canDo: ANY,
      canSummon: ANY,
      canBe: ANY,
      prompt: 'You go on.',
    }),
  ],
  operations: [
    defineOperation({
      name: 'manor:mark',
      description: 'Marks.',
      on: 'being',
      allow: ['self'],
      args: z.object({}),
      decide,
    }),
    defineOperation({
      ...{
        name: 'manor:till',
        description: 'Opens the till.',
        on: 'space',
        allow: ['anyone'],
        args: z.object({}),
        decide,
      },
      ask: { who: ['operator'] },
    }),
  ],
})
