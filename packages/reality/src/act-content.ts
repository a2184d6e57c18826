/** What the content of a person's act says. */
import {
  type ActContent,
  type Decision,
  isJsonObject,
  type Json,
  parseCall,
  readPath,
  TreeosError,
  type Wake,
} from '@treeos/core'

/** The decision of a person's act. An act that cannot be parsed becomes a failure, like an invalid answer of a model. */
export function decisionOfPerson({ content }: { readonly content: Json }): Decision {
  try {
    if (!isJsonObject(content)) throw new TreeosError('INVALID_INPUT', 'an act is an object with a call')
    return { kind: 'call', call: parseCall(content.call), content: null }
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    return { kind: 'failure', code: error.code, message: error.message }
  }
}

/** The lease under which a person's act was submitted; null when there was none. */
export function leaseOfAct({ content }: Pick<Wake, 'content'>): NonNullable<ActContent['lease']> | null {
  const lease = readPath(content, ['lease'])
  if (!isJsonObject(lease) || typeof lease.driver !== 'string' || typeof lease.epoch !== 'number') return null
  return { driver: lease.driver, epoch: lease.epoch }
}
