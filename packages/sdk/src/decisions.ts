import type { Decision, Json, JsonObject } from '@treeos/core'

/** Says something to whoever woke the being. */
export const answer = (content: Json): Decision => ({
  kind: 'call',
  call: { verb: 'summon', target: null, content, inReplyTo: null },
  content: null,
})

/** Says something to one being, by its stance. */
export const tell = (target: string, content: Json): Decision => ({
  kind: 'call',
  call: { verb: 'summon', target, content, inReplyTo: null },
  content: null,
})

/** Does one action to a target. */
export const perform = (action: string, target: string, args: JsonObject = {}): Decision => ({
  kind: 'call',
  call: { verb: 'do', action, target, args },
  content: null,
})

/** Looks, and does nothing. */
export const silence: Decision = { kind: 'see', content: null }
