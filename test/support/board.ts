import { defineExtension, defineOperation, defineRole, type Extension, type Operation } from '@treeos/sdk'

/** An extension whose role has a function for a prompt, and other rights and operations in each version. */
function board(version: string, canDo: readonly string[]): Extension {
  const operations: Operation[] = ['note', 'wipe'].map((what) =>
    defineOperation({
      name: `board:${what}`,
      description: 'Does so.',
      on: 'being',
      allow: ['anyone'],
      decide: () => ({ facts: [], result: version }),
    }),
  )
  const post = defineOperation({
    name: `board:post-${version.charAt(0)}`,
    description: 'Posts it outside.',
    on: 'being',
    allow: ['anyone'],
    effect: { timeoutSeconds: 5, attempts: 1, perform: async () => `posted by ${version}` },
    decide: ({ effect }) => ({ facts: [], result: effect }),
  })
  const keeper = defineRole({
    name: 'board:keeper',
    canDo: canDo as [],
    canSummon: [{ rel: 'asker' }],
    prompt: ({ me }) => `You are ${me.name}, and keep the board of ${version}.`,
  })
  return defineExtension({ name: 'board', version, roles: [keeper], operations: [...operations, post] })
}

export const firstBoard = board('1.0.0', ['board:note'])
export const secondBoard = board('2.0.0', ['board:wipe'])

/** The version that the prompt of a model's request names. */
export const boardIn = (system: unknown): string => /board of (\S+)\./.exec(String(system))?.[1] ?? 'none'
