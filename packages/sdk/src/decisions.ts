import type { Decision, Json, JsonObject } from '@treeos/core'

/**
 * Decision of a script: replies to the being that woke this one.
 * @example
 * 'court:clerk': ({ wake }) => (wake.kind === 'message' ? answer('heard') : silence)
 */
export const answer = (content: Json): Decision => ({
  kind: 'call',
  call: { verb: 'summon', target: null, content, inReplyTo: null },
  content: null,
})

/**
 * Decision of a script: summons one being.
 * @param target its stance, such as `@clerk`
 * @example
 * 'court:crier': () => tell('@judge', 'the court sits')
 */
export const tell = (target: string, content: Json): Decision => ({
  kind: 'call',
  call: { verb: 'summon', target, content, inReplyTo: null },
  content: null,
})

/**
 * Decision of a script: does an operation.
 * @param target stance of a being, path of a space or address of a thing
 * @example
 * 'court:crier': () => perform('set-being', '@crier', { field: 'mood.tone', value: 'loud' })
 */
export const perform = (operation: string, target: string, args: JsonObject = {}): Decision => ({
  kind: 'call',
  call: { verb: 'do', operation, target, args },
  content: null,
})

/**
 * Decision of a script: does nothing.
 * @example
 * 'court:statue': () => silence
 */
export const silence: Decision = { kind: 'see', content: null }
