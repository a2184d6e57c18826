import {
  type BeingName,
  beingReel,
  isContinuation,
  LIMITS,
  type Orientation,
  PRIORITIES,
  parseStance,
  quote,
  SPEECH_KIND,
  speechOf,
  stanceOf,
  TreeosError,
  unknownBeing,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import { requireListed } from '../gates/list-gate.ts'
import { requireNotEnded, requirePart } from '../gates/moment-guards.ts'
import { rolesNamed } from '../gates/reach.ts'
import { requireThread } from '../read/target.ts'
import { tightest } from '../rows/budgets.ts'
import type { BeingRow } from '../rows/rows.ts'
import { type Act, type ActInputs, type CallInputs, NOTHING_DONE } from './act-inputs.ts'

/**
 * SUMMON: one fact on the speaker's reel, and a wake for the target. An answer that nobody wants is not sent.
 */
export async function summon(call: Extract<VerbCall, { verb: 'summon' }>, at: CallInputs): Promise<Act> {
  const { wake, owed } = at
  const speaker = wake.caller?.name ?? null
  const isUnwanted = wake.expectReply === false && at.caller.cognition !== 'human'
  if (call.target === null && owed === null && speaker !== null) {
    if (isUnwanted) return unsent(wake)
    if (isContinuation(wake)) return answeredBefore(speaker)
  }
  const name = call.target === null ? defaultRecipient(at) : parseStance(call.target)
  const mayAnswer = name === owed?.caller.name && at.role.respondMode !== 'none'
  const inReplyTo = call.inReplyTo ?? (mayAnswer ? owed.id : null)
  const isOwed = mayAnswer && inReplyTo === owed.id
  let depth = owed?.hops ?? at.hops
  if (inReplyTo !== null && !isOwed) {
    const question = await findQuestion(inReplyTo, name, at)
    if (question?.expectReply === false) return unsent(question)
    if (question === null)
      throw new TreeosError(
        'FORBIDDEN',
        `${stanceOf(at.me.name)} may answer only what this moment is about, or what it was asked before in the same thread, to its sender and in a role that answers, not ${quote(inReplyTo)}`,
      )
    depth = question.hops
  }
  if (name === speaker && isUnwanted) return unsent(wake)
  // The answer to a question leads back to the being that asked, so it is as deep as the question.
  if (inReplyTo === null) await requireHop(at, depth)
  const isOwing = owed !== null && at.caller.cognition !== 'human'
  // A being that turns to itself before it has answered still owes the answer.
  const left = isOwing && name === at.me.name ? owed : null
  const expectReply = left !== null || (call.expectReply ?? !announces(at, inReplyTo))
  requireOwnOrientation(call.orientation, name, at)
  const gated = await gateBeing(at, name)
  if (call.role !== undefined && !rolesNamed(gated.being).includes(call.role)) {
    throw new TreeosError(
      'ROLE_UNAVAILABLE',
      `neither flow nor default of ${stanceOf(name)} names the role ${quote(call.role)}`,
    )
  }
  if (call.overlay !== undefined) requireModel(gated.being)
  const root = await threadFor(call, at, inReplyTo)
  const out: Wake = {
    id: at.correlation,
    being: name,
    kind: 'summon',
    priority:
      isOwing && call.priority === undefined ? wake.priority : PRIORITIES[call.priority ?? 'interactive'],
    caller: at.caller,
    content: call.content,
    root,
    inReplyTo,
    askedRole: call.role ?? null,
    hops: depth + (inReplyTo === null ? 1 : 0),
    continues: wake.continues,
    cause: null,
    ...(left === null ? {} : { answers: left.id }),
    ...(expectReply ? {} : { expectReply }),
    ...(call.channel === undefined ? {} : { channel: call.channel }),
    ...(call.overlay === undefined ? {} : { overlay: call.overlay }),
    ...(at.fromOutside ? { outside: true } : {}),
    ...(call.orientation === undefined || name !== at.me.name ? {} : { orientation: call.orientation }),
  }
  const payload = {
    ...speechOf(out),
    // Whoever reads an answer can go on to the answers that it followed.
    ...(isOwed && at.heard.length > 0 ? { followed: at.heard } : {}),
    ...(call.thread === undefined ? {} : { thread: call.thread }),
  }
  return {
    ...NOTHING_DONE,
    facts: [{ reel: beingReel(at.me.name), kind: SPEECH_KIND, payload }],
    wakes: [out],
    // its own moment closed the question
    closes: inReplyTo === null || inReplyTo === wake.id ? closedBy(inReplyTo, at) : [],
    result: { correlation: at.correlation, to: stanceOf(name) },
    by: gated.by,
  }
}

/**
 * What the being was asked before in the thread of its moment: it may answer after it has asked others.
 * @returns null for anything else
 */
async function findQuestion(
  id: string,
  sender: BeingName,
  { me, wake, role, question }: ActInputs,
): Promise<Wake | null> {
  const asked = role.respondMode === 'none' ? null : await question(id)
  const isOwn =
    asked?.kind === 'summon' &&
    asked.being === me.name &&
    asked.caller?.name === sender &&
    asked.inReplyTo === null &&
    asked.root === wake.root
  return isOwn && wake.kind !== 'act' ? asked : null
}

/** An overlay shapes a call of a model. Nobody else would see it, and its sender would not know. */
function requireModel({ name, cognition }: BeingRow): void {
  if (cognition.kind === 'llm') return
  throw new TreeosError(
    'INVALID_INPUT',
    `an overlay is for a being that a model decides for; ${stanceOf(name)} is ${cognition.kind}`,
  )
}

/**
 * What speaking closes: the summon that it answers; or the notice that a person answers by speaking to the
 * being it tells of.
 */
function closedBy(inReplyTo: string | null, { wake }: ActInputs): string[] {
  if (inReplyTo !== null) return [inReplyTo]
  return wake.kind === 'event' ? [wake.id] : []
}

/**
 * A being that goes on by itself waits for nobody, so what it says to others is an announcement unless it
 * says otherwise, or asks for somebody who waits for its answer.
 */
const announces = ({ role, caller, owed }: ActInputs, inReplyTo: string | null): boolean =>
  role.selfContinue === true && owed === null && inReplyTo === null && caller.cognition !== 'human'

/**
 * The end of a moment that answers once more: models do, and whoever asked has the answer. To say more, it
 * names its target.
 */
function answeredBefore(asker: BeingName): Act {
  const detail = `${stanceOf(asker)} has its answer already, so nothing was sent; a summon that says more names its target`
  return { ...NOTHING_DONE, remark: { reason: 'already-answered', detail } }
}

/** The end of a moment that answers a summon whose sender wants no answer. */
function unsent({ id, caller }: Wake): Act {
  const detail = `${stanceOf(caller?.name ?? '')} expects no answer to ${quote(id)}, so none was sent`
  return { ...NOTHING_DONE, remark: { reason: 'no-reply-expected', detail } }
}

/**
 * The thread a summon belongs to: the one it names, else the one its moment belongs to. A person's free act
 * begins one.
 * @throws {TreeosError} CORRELATION_NOT_FOUND, FORBIDDEN without a part in the named thread,
 *   RESOURCE_CONFLICT once it was cut, INVALID_INPUT for an answer that names another thread than what it
 *   answers
 */
async function threadFor(
  { thread: named }: Extract<VerbCall, { verb: 'summon' }>,
  at: ActInputs,
  inReplyTo: string | null,
): Promise<string> {
  const own = at.wake.kind === 'act' ? at.correlation : at.wake.root
  if (named === undefined || named === own) return own
  if (inReplyTo !== null) {
    throw new TreeosError(
      'INVALID_INPUT',
      `thread is ${quote(named)}, but an answer stays in the thread of what it answers, which is ${quote(own)}`,
    )
  }
  const thread = await requireThread(at, named)
  requirePart(at.me, thread)
  if (thread.state === 'severed')
    throw new TreeosError('RESOURCE_CONFLICT', `thread ${named} was cut: nothing said in it opens a moment`)
  return named
}

async function requireHop({ me, reader }: ActInputs, hops: number): Promise<void> {
  const { max, of } = tightest([me, ...(await reader.lineage(me.name))], 'hops', LIMITS.hopsMax)
  if (hops < max) return
  const whose = of === null ? '' : ` by the budget of ${stanceOf(of)}`
  throw new TreeosError(
    'RATE_LIMITED',
    `the chain of summons that led here is ${hops} deep; at most ${max} may follow one another${whose}`,
  )
}

/**
 * The target of a summon that names none.
 * @throws {TreeosError} INVALID_INPUT when there is none, or the role answers nobody
 */
function defaultRecipient({ owed, role }: ActInputs): BeingName {
  if (role.respondMode === 'none')
    throw new TreeosError('INVALID_INPUT', 'its role answers nobody (respondMode none): name a target')
  if (owed !== null) return owed.caller.name
  const nobody = 'no being waits for an answer of this moment'
  throw new TreeosError('INVALID_INPUT', `${nobody}, so a summon must name its target`)
}

/** Only a being itself may ask for an orientation other than forward. @throws {TreeosError} FORBIDDEN */
function requireOwnOrientation(asked: Orientation | undefined, name: BeingName, { me }: ActInputs): void {
  if (name === me.name || asked === undefined || asked === 'forward') return
  throw new TreeosError(
    'FORBIDDEN',
    `only a being itself is summoned with orientation ${asked}; ${stanceOf(name)} is not ${stanceOf(me.name)}`,
  )
}

async function gateBeing(
  at: CallInputs,
  name: BeingName,
): Promise<{ being: BeingRow; by: [string, string] }> {
  const key = stanceOf(name)
  const listed = await requireListed(at, 'summon', key)
  at.consent.listed ||= listed
  const being = await at.reader.being(name)
  if (being === null) throw unknownBeing(name)
  const target = { kind: 'being', being } as const
  const asked = { key, target, fallback: ['anyone' as const], fromOutside: at.fromOutside }
  const rule = await at.consent.granted(at.reader, at.me, 'summon', asked)
  requireNotEnded(being)
  return { being, by: [listed, rule] }
}
