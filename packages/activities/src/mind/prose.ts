import type { Decision, VerbCall } from '@treeos/core'
import type { ComposedMoment } from '@treeos/reality'
import type { OpenRecord } from '@treeos/store'
import { proseAnswers, queueOf } from '@treeos/world'
import type { ModelAnswer } from '../model/model.ts'

/**
 * Turns a model's answer into a decision. Of several calls the first is made. The others are kept in `reads` where
 * all are reads, else only counted. Where the role says so, prose answers whoever waits: by the operation by which
 * the being answers, else by a summon. Words that are no answer are refused to the mind, like a call that cannot be
 * read.
 */
export function decisionFrom(
  {
    decision: answer,
    ignoredCalls,
    further = [],
    unfit,
  }: Pick<ModelAnswer, 'decision' | 'ignoredCalls' | 'further' | 'unfit'>,
  {
    role,
    answersBy,
    isRead = () => false,
  }: Pick<ComposedMoment, 'answersBy'> & {
    readonly role: Pick<ComposedMoment['role'], 'prose' | 'respondMode' | 'onAnswers'>
    /** whether an operation only reads, as a person declared; none does where it is left out */
    readonly isRead?: (operation: string) => boolean
  },
  record: Pick<OpenRecord, 'owed' | 'unheard'>,
): Decision {
  if (answer.kind === 'call' && ignoredCalls > 0) {
    const reads = further.length === 0 ? null : queueOf([answer.call, ...further], isRead)
    return reads === null ? { ...answer, ignoredCalls } : { ...answer, reads }
  }
  if (answer.kind !== 'see' || answer.content === null || !proseAnswers(role, record)) return answer
  if (unfit !== undefined) return { kind: 'failure', code: 'LLM_FAILED', message: unfit, miscall: true }
  return { kind: 'call', call: answerOf(answer.content, answersBy), content: null, prose: true }
}

const answerOf = (content: string, answersBy: ComposedMoment['answersBy']): VerbCall =>
  answersBy === null
    ? { verb: 'summon', target: null, content, inReplyTo: null }
    : { verb: 'do', operation: answersBy.operation, target: null, args: { [answersBy.argument]: content } }
