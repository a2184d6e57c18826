/** What a summon says, as far as it follows from its call and from what woke the being. */
import { askerIn, owedIn } from '@treeos/core'
import { at } from '../canonical.ts'
import type { CallToDerive } from './call-to-derive.ts'
import { type DueFact, isText, oneOf } from './due-fact.ts'

/** Reasons of summons that say nothing. */
const SILENT = ['already-answered', 'no-reply-expected']

export function* factsOfSummon(summon: CallToDerive): Iterable<DueFact> {
  const { call, open, record, me } = summon
  if (summon.written.length === 0 && SILENT.includes(String(record.reason))) return
  const answers = at(open, 'answers') ?? null
  const [id, kind] = [String(at(open, 'wake', 'id')), at(open, 'wake', 'kind')]
  const caller = askerIn(open as never, me) ?? undefined
  const to = summon.target?.slice(1) ?? (typeof caller === 'string' ? caller : null)
  const said = to ?? summon.wrote('to') ?? null
  const own = kind === 'act' && id.startsWith('act/') ? id.slice('act/'.length) : (record.moment ?? null)
  const isReply = answers !== null && (kind === 'act' || id.startsWith('approved/'))
  const mayAnswer = isReply || said === (caller ?? null)
  const [thread, inReplyTo, expects] = [
    at(call, 'thread'),
    at(call, 'inReplyTo') ?? null,
    at(call, 'expectReply'),
  ]
  const root = isReply ? isText : kind === 'act' ? own : (at(open, 'wake', 'root') ?? null)
  const owed = owedIn(open as never, me)?.id ?? null
  const answersOwed = owed !== null && summon.wrote('inReplyTo') === owed
  yield {
    reel: `being:${me}`,
    kind: 'being:summoned',
    fields: {
      correlation: own,
      to: to ?? isText,
      content: at(call, 'content') ?? null,
      root: thread ?? root,
      inReplyTo: inReplyTo ?? (mayAnswer ? oneOf(null, answers, id, owed) : null),
      followed: answersOwed ? at(open, 'heard') : undefined,
      expectReply: expects === undefined ? oneOf(undefined, false) : expects === false ? false : undefined,
      channel: at(call, 'channel'),
      thread,
      orientation: said === me ? at(call, 'orientation') : undefined,
      outside: at(open, 'outside') === true ? true : oneOf(true, undefined),
      role: at(record, 'stack', 'primary', 'name') ?? null,
      cognition: at(open, 'cognition', 'kind') ?? null,
    },
  }
}
