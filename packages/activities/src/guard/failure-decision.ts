import { type Decision, storableMessage } from '@treeos/core'

/** A decision of kind failure; its message is cut so that it can be stored. */
export const failureDecision = (code: string, message: string): Extract<Decision, { kind: 'failure' }> => ({
  kind: 'failure',
  code,
  message: storableMessage(message),
})
