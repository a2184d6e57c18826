import type { Decision, VerbCall } from '@treeos/core'
import type { ComposedMoment } from '@treeos/reality'
import type { OpenRecord } from '@treeos/store'
import { proseAnswers } from '@treeos/world'
import type { ModelAnswer } from '../model/model.ts'

/**
 * The decision that a model's answer is, with the number of its calls that are not made. Its prose answers whoever waits, where its role says so: by the
 * operation by which the being answers, else by a summon.
 */
export function decisionFrom(
  { decision: answer, ignoredCalls }: Pick<ModelAnswer, 'decision' | 'ignoredCalls'>,
  {
    role,
    answersBy,
  }: Pick<ComposedMoment, 'answersBy'> & {
    readonly role: Pick<ComposedMoment['role'], 'prose' | 'respondMode'>
  },
  record: Pick<OpenRecord, 'owed'>,
): Decision {
  if (answer.kind === 'call' && ignoredCalls > 0) return { ...answer, ignoredCalls }
  if (answer.kind !== 'see' || answer.content === null || !proseAnswers(role, record)) return answer
  return { kind: 'call', call: answerOf(answer.content, answersBy), content: null, prose: true }
}

const answerOf = (content: string, answersBy: ComposedMoment['answersBy']): VerbCall =>
  answersBy === null
    ? { verb: 'summon', target: null, content, inReplyTo: null }
    : { verb: 'do', operation: answersBy.operation, target: null, args: { [answersBy.argument]: content } }
