/** What the content of a wake says that holds a call: of a person's act, or of a call that was approved. */
import {
  type ActContent,
  type ActSignature,
  type BeingName,
  type Decision,
  holdsCall,
  isJsonObject,
  type Json,
  parseStoredCall,
  readPath,
  TreeosError,
  type Wake,
} from '@treeos/core'
import { requireLease } from '../gates/moment-guards.ts'
import type { BeingRow } from '../rows/rows.ts'

type Content = { readonly content: Json }

/**
 * The decision that the content of a wake holds. An act that cannot be parsed becomes a failure, like an
 * invalid answer of a model.
 */
export function decisionOfPerson({ content }: Content): Decision {
  try {
    if (!isJsonObject(content)) throw new TreeosError('INVALID_INPUT', 'an act is an object with a call')
    return { kind: 'call', call: parseStoredCall(content.call), content: null }
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    return { kind: 'failure', code: error.code, message: error.message }
  }
}

/** No assertion of an authenticator is longer. */
const SIGNATURE_CHARS_MAX = 4096

/** The signature of a person's act by its passkey; null where it has none, or one of another form. */
export function signatureOfAct({ content }: Content): ActSignature | null {
  const signed = readPath(content, ['signed'])
  if (!isJsonObject(signed)) return null
  const { key, at, authenticatorData, clientDataJSON, signature } = signed
  const texts = [key, authenticatorData, clientDataJSON, signature]
  const isForm = texts.every((text) => typeof text === 'string' && text.length <= SIGNATURE_CHARS_MAX)
  if (!isForm || !Number.isSafeInteger(at)) return null
  return { key, at, authenticatorData, clientDataJSON, signature } as unknown as ActSignature
}

/** The salt of the decision of a signed act, in hex; null where the act brings none. */
export function saltOfAct({ content }: Content): string | null {
  const salt = readPath(content, ['salt'])
  return typeof salt === 'string' && /^[0-9a-f]{64}$/.test(salt) ? salt : null
}

/**
 * The lease that a person's act names, or a call that was approved, of a person who drives a being; null when
 * the person acts as itself.
 */
export function leaseOfAct({ content }: Content): NonNullable<ActContent['lease']> | null {
  const lease = readPath(content, ['lease'])
  if (!isJsonObject(lease) || typeof lease.driver !== 'string' || typeof lease.epoch !== 'number') return null
  return { driver: lease.driver, epoch: lease.epoch }
}

/** Whether the act came by a Temporal signal, whose sender hears nothing. */
export const isSignalledAct = ({ kind }: Pick<Wake, 'kind'>, content: Json): boolean =>
  kind === 'act' && readPath(content, ['isSignal']) === true

/**
 * Checks that the lease still holds under which the call of a wake was chosen, and that a person's own act is
 * a person's.
 * @throws {TreeosError} FORBIDDEN
 */
export function requireDecider(
  me: BeingRow,
  { wake, driver }: { readonly wake: Pick<Wake, 'id' | 'kind'>; readonly driver: BeingName | null },
  content: Json,
): void {
  if (!holdsCall(wake)) return
  const lease = leaseOfAct({ content })
  if (lease !== null || wake.kind === 'act') requireLease(me, lease, driver)
}
