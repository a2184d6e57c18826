import {
  type ActContent,
  type ActSignature,
  approvalOf,
  type BeingName,
  type Caller,
  correlationFor,
  type Decision,
  holdsCall,
  isJsonObject,
  type Json,
  newWake,
  type PinnedStack,
  PRIORITIES,
  parseCall,
  questionOf,
  readPath,
  TreeosError,
  type Wake,
} from '@treeos/core'
import { catalogRowsOf, type Db, digestOf, findEntry, type OpenRecord, threadOf } from '@treeos/store'
import {
  type Acting,
  type BeingRow,
  catalogsOf,
  type Registry,
  requireLease,
  type Surface,
  type WorldReader,
} from '@treeos/world'
import { askerOf, openerOf } from './asker.ts'
import { effectResultOf } from './effect-result.ts'

/** Dependencies of a decision: the database, and the loaded code. */
export interface DecisionDeps {
  readonly db: Db
  readonly registry: Registry
}

/** A moment whose call is decided: at its stamp, or again in a what-if. */
export interface DecisionMoment {
  readonly reader: WorldReader
  readonly me: BeingRow
  readonly open: OpenRecord
  readonly stack: PinnedStack
  readonly surface: Surface
  readonly role: Acting['role']
  /** the wake that opened the moment; for a person's reply, the wake that it answers */
  readonly wake: Wake
}

/** Inputs for deciding the call of a moment. */
export function actingFor({ db, registry }: DecisionDeps, moment: DecisionMoment): Acting {
  const { reader, me, open, stack, surface, role, wake } = moment
  return {
    ...lookups(db, registry),
    reader,
    moment: open.moment,
    openedAt: open.openedAt,
    me,
    caller: { name: me.name, role: stack.primary.name, cognition: open.cognition.kind },
    driver: open.driver,
    surface,
    wake,
    fromOutside: open.outside === true,
    hops: open.wake.kind === 'act' ? 0 : open.wake.hops,
    role,
    correlation: correlationFor(open.wake, open.moment),
    asker: () => askerOf(db, wake),
    opener: () => openerOf(db, wake),
    question: (id) => findEntry(db, id),
    outside: (call) => effectResultOf(db, open.moment, call),
    asking: {
      stack,
      wake: open.wake.id,
      root: open.wake.root,
      caller: open.caller,
      question: open.wake.kind === 'act' ? open.answers : questionOf(open.wake, open.answers),
      askedRole: open.asked,
      lease: open.driver === null ? null : { driver: open.driver, epoch: me.inhabited?.epoch ?? 0 },
      approval: approvalOf(open.wake),
    },
  }
}

/** Inputs for deciding a SEE outside of a moment. It has no wake and writes nothing. */
export function actingToSee(
  { db, registry }: DecisionDeps,
  seer: Pick<Acting, 'reader' | 'me' | 'driver' | 'surface'> & { readonly caller: Caller },
): Acting {
  return {
    ...lookups(db, registry),
    ...seer,
    moment: 'see',
    openedAt: 0,
    wake: SEE_WAKE,
    fromOutside: false,
    hops: 0,
    role: { replyTo: 'asker', respondMode: 'none', selfContinue: false },
    correlation: '',
    asker: async () => null,
    opener: async () => null,
    question: async () => null,
    outside: async () => null,
    asking: null,
  }
}

const lookups = (
  db: Db,
  registry: Registry,
): Pick<Acting, 'registry' | 'digest' | 'thread' | 'catalogs'> => ({
  registry,
  digest: digestOf,
  thread: (id) => threadOf(db, id),
  catalogs: () => catalogsOf(registry, catalogRowsOf(db)),
})

const SEE_WAKE = newWake({ id: '', being: '', kind: 'event', priority: PRIORITIES.human, content: null })

/** The decision that the content of a wake holds, of a person's act or of a call that was approved. An act that cannot be parsed becomes a failure, like an invalid answer of a model. */
export function decisionOfPerson({ content }: { readonly content: Json }): Decision {
  try {
    if (!isJsonObject(content)) throw new TreeosError('INVALID_INPUT', 'an act is an object with a call')
    return { kind: 'call', call: parseCall(content.call), content: null }
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    return { kind: 'failure', code: error.code, message: error.message }
  }
}

/** No assertion of an authenticator is longer. */
const SIGNATURE_CHARS_MAX = 4096

/** The signature of a person's act by its passkey; null where it has none, or one of another form. */
export function signatureOfAct({ content }: Pick<Wake, 'content'>): ActSignature | null {
  const signed = readPath(content, ['signed'])
  if (!isJsonObject(signed)) return null
  const { key, at, authenticatorData, clientDataJSON, signature } = signed
  const texts = [key, authenticatorData, clientDataJSON, signature]
  const isForm = texts.every((text) => typeof text === 'string' && text.length <= SIGNATURE_CHARS_MAX)
  if (!isForm || !Number.isSafeInteger(at)) return null
  return { key, at, authenticatorData, clientDataJSON, signature } as unknown as ActSignature
}

/** The salt that the decision of a signed act has; null where the act brings none. */
export function saltOfAct({ content }: { readonly content: Json }): Buffer | null {
  const salt = readPath(content, ['salt'])
  return typeof salt === 'string' && /^[0-9a-f]{64}$/.test(salt) ? Buffer.from(salt, 'hex') : null
}

/**
 * Checks that the lease still holds under which the call of a wake was chosen, and that a person's own act is a person's.
 * @throws {TreeosError} FORBIDDEN
 */
export function requireHands(
  me: BeingRow,
  { wake, driver }: { readonly wake: Pick<Wake, 'id' | 'kind'>; readonly driver: BeingName | null },
  content: Json,
): void {
  if (!holdsCall(wake)) return
  const lease = leaseOfAct({ content })
  if (lease !== null || wake.kind === 'act') requireLease(me, lease, driver)
}

/** The lease that a person's act names, or a call that was approved, of a person who drives a being; null when the person acts as itself. */
export function leaseOfAct({ content }: Pick<Wake, 'content'>): NonNullable<ActContent['lease']> | null {
  const lease = readPath(content, ['lease'])
  if (!isJsonObject(lease) || typeof lease.driver !== 'string' || typeof lease.epoch !== 'number') return null
  return { driver: lease.driver, epoch: lease.epoch }
}
