import type { Decision, Json } from '@treeos/core'

/** Says something to whoever woke the being. */
export const answer = (content: Json): Decision => ({
  kind: 'call',
  call: { verb: 'summon', target: null, content, inReplyTo: null },
  content: null,
})

/** Looks, and does nothing. */
export const silence: Decision = { kind: 'see', content: null }
