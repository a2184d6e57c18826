import { asJson, stanceOf, type Wake } from '@treeos/core'
import type { ResumedApproval } from '../extend/extension.ts'
import { begunIn, fitContent, stepsIn } from '../moment/steps.ts'
import { toldContent } from '../moment/wake-quotes.ts'

/**
 * The wake by which a being goes on from the moment in which it asked for a yes. It keeps asker, thread, hops
 * and priority of the wake of that moment, so whoever asked gets the answer. One that was approved holds the
 * call, and opens a moment without a mind.
 * @param entry the wake of the moment that asked
 */
export function resumedWake({ row, event, by, why }: ResumedApproval, entry: Wake): Wake {
  const { id, asker, call, caller, question, askedRole, lease, root } = row
  const isAct = entry.kind === 'act'
  const begun = toldContent(entry)
  const content = fitContent({
    event,
    ...(by === undefined ? {} : { actor: stanceOf(by) }),
    approval: id,
    [event === 'approved' ? 'call' : 'wanted']: asJson(call), // only what is approved is a call to make
    ...(why === undefined ? {} : { why }),
    ...(lease === null ? {} : { lease: { ...lease } }),
    ...(isAct && question !== null ? { answers: question } : {}),
    ...(isAct ? {} : { ...begunIn({ wake: entry, caller }, begun), earlier: stepsIn(entry, begun) }),
  })
  return {
    id: `${event}/${id}`,
    being: asker,
    kind: 'event',
    priority: entry.priority,
    caller,
    content,
    root,
    inReplyTo: isAct ? null : entry.inReplyTo,
    askedRole,
    hops: entry.hops,
    // a mind that asks again after each no comes to an end
    continues: entry.continues + (event === 'approved' ? 0 : 1),
    cause: null,
    ...(question === null ? {} : { answers: question }),
    ...(entry.expectReply === undefined ? {} : { expectReply: entry.expectReply }),
    ...(row.fromOutside === true ? { outside: true } : {}),
  }
}
