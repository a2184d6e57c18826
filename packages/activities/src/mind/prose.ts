import type { Decision } from '@treeos/core'
import type { ComposedMoment } from '@treeos/reality'
import type { OpenRecord } from '@treeos/store'
import { proseAnswers } from '@treeos/world'

/** The decision that a model's answer is: its prose is a summon to whoever waits, where its role says so. */
export function decisionFrom(
  answer: Decision,
  role: Pick<ComposedMoment['role'], 'prose' | 'respondMode'>,
  record: Pick<OpenRecord, 'wake' | 'caller' | 'answers'>,
): Decision {
  if (answer.kind !== 'see' || answer.content === null || !proseAnswers(role, record)) return answer
  const call = { verb: 'summon', target: null, content: answer.content, inReplyTo: null } as const
  return { kind: 'call', call, content: null, prose: true }
}
