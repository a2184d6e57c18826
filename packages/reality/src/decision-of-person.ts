import { type Decision, isJsonObject, type Json, parseCall, TreeosError } from '@treeos/core'

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
