import type { Decision } from '@treeos/core'
import { messageOf } from './message.ts'

/** A decision of kind failure; its message is cut to 2000 characters. */
export const failureDecision = (code: string, message: string): Extract<Decision, { kind: 'failure' }> => ({
  kind: 'failure',
  code,
  message: messageOf(message),
})
