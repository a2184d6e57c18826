import { stanceOf, TreeosError, threadReel } from '@treeos/core'
import { requirePart } from '../gates/moment-guards.ts'
import { defineBuiltIn } from './define-built-in.ts'

const cutThread = defineBuiltIn({
  name: 'cut-thread',
  wordless: true,
  description: 'Ends a thread: nothing that came or will come of it opens a moment any more.',
  targets: ['thread'],
  allow: ['anyone'], // decide() requires a part in the thread; spaces have no say
  takes: {},
  async decide({ actor, target, world }) {
    if (target.kind !== 'thread') throw new TreeosError('INVALID_TYPE', 'cut-thread takes a thread')
    const { thread, state, open, unanswered, notices } = target.thread
    requirePart(actor, target.thread)
    const before = await world.cutThread(thread)
    if (before !== null)
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `thread ${thread} was cut before, by ${stanceOf(before.cutBy)}`,
      )
    if (state === 'complete')
      throw new TreeosError('RESOURCE_CONFLICT', `thread ${thread} is complete: there is nothing to cut`)
    return {
      facts: [{ reel: threadReel(thread), kind: 'thread:cut', payload: { thread } }],
      result: { thread, open },
      closes: [...unanswered, ...notices],
    }
  },
})

export const threadOperations = [cutThread] as const
