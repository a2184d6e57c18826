import { parseMomentId } from '@treeos/core'
import { at, canonical, isArray, isObject, type Json, type JsonObject } from '../canonical.ts'
import { readCheckpoint, type SignedCheckpoint } from '../checkpoint.ts'
import { isIncluded } from '../hash.ts'
import { quorumFaults, trustedPolicy, type WitnessPolicy } from '../policy.ts'
import { isSignedBy } from '../signature.ts'
import { type CheckOptions, checkStatus, type Status } from '../status.ts'
import { ageFaults } from '../times.ts'
import { type DerivedPermission, derivePermission, UnknownLawError } from './derive-permission.ts'
import type { Witness } from './witness.ts'

/** Type of the predicate of a receipt. A name, not an address that anything is fetched from. */
export const RECEIPT_TYPE = 'https://treeos.dev/receipt/v1'
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json'

/** What the check of a receipt found. */
export interface CheckedReceipt {
  /**
   * `ok`: it is derived, and the checkpoint holds its moment; `unproven`: no checkpoint does; `broken`:
   * something contradicts
   */
  readonly status: Status
  /** the status is `ok` */
  readonly ok: boolean
  readonly broken: readonly {
    readonly reel: string
    readonly seq: number
    readonly reason: string
    readonly what: string
  }[]
  /** null when it could not be derived, or when an unknown law judged it */
  readonly derived: DerivedPermission | null
  /** whether the key signed it; null without a key */
  readonly signed: boolean | null
  readonly checkpoint: SignedCheckpoint | null
  /** of which record it is; null where that does not follow */
  readonly of: { readonly reality: string; readonly moment: string; readonly hash: string } | null
  /** in words, what this receipt does not prove */
  readonly unproven: readonly string[]
}

/**
 * Checks a receipt: its signature, and the permission again from what it holds. It never throws.
 * @param text a DSSE envelope with an in-toto statement
 * @example
 * const { status, verdict, broken } = await verifyReceipt(text, { key: parseKey(keyText) })
 */
export async function verifyReceipt(
  text: string,
  { strict, maxAgeSeconds, now, ...trust }: CheckOptions = {},
): Promise<CheckedReceipt> {
  const policy = trustedPolicy(trust)
  const broken: { reel: string; seq: number; reason: string; what: string }[] = []
  const fault = (reason: string, what: string) => void broken.push({ reel: 'receipt', seq: 0, reason, what })
  const attempt = async <T>(reason: string, work: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await work()
    } catch (error) {
      fault(reason, (error as Error).message)
      return null
    }
  }
  const statement = await attempt('envelope-mismatch', () => openEnvelope(text, policy))
  const predicate = at(statement, 'predicate')
  // Of an envelope that cannot be opened nothing else is said: that is the one reason.
  const found =
    statement === null
      ? null
      : await attempt('witness-mismatch', () => deriveKnown(requireWitness(predicate)))
  const unjudged = found instanceof UnknownLawError ? found : null
  const derived = found instanceof UnknownLawError ? null : found
  const subject = at(statement, 'subject')
  const [first, ...others] = isArray(subject) ? subject : []
  if (others.length > 0) fault('subject-mismatch', 'it has more than one subject')
  if (found !== null && (at(first, 'digest', 'sha256') !== found.hash || at(first, 'name') !== found.moment))
    fault('subject-mismatch', 'its subject is another moment than the one it tells of')
  const said = at(predicate, 'verdict')
  if (derived !== null && said !== derived.verdict)
    fault('verdict-mismatch', `it says ${said}, and ${derived.verdict} is derived`)
  const proof = at(predicate, 'proof')
  const checkpoint =
    isObject(proof) && derived !== null
      ? await attempt('proof-mismatch', () =>
          covering(proof, derived, String(at(predicate, 'reality')), policy),
        )
      : null
  const unproven = [...(derived?.attested ?? [])]
  const gaps = derived?.gaps ?? []
  if (gaps.length > 0 && !isObject(proof))
    fault(
      'proof-mismatch',
      'it leaves facts out, and no checkpoint shows that those before them are in the log',
    )
  for (const { reel, from, to } of gaps)
    unproven.push(
      `facts ${from} to ${to} of ${reel} are left out: that the permission does not depend on them is said by the signer`,
    )
  if (policy === null) unproven.push('no key was given: who signed it was not checked')
  const sealedAt = Number(at(predicate, 'moment', 'record', 'sealedAt')) || null
  const bare =
    unjudged !== null
      ? [unjudged.message]
      : checkpoint === null
        ? ['no checkpoint covers the moment: that it is in the log is said by the signer']
        : [...quorumFaults(checkpoint, policy), ...ageFaults(checkpoint, sealedAt, { maxAgeSeconds, now })]
  const uncovered = [...bare, ...unsigned(derived)]
  const status = checkStatus(broken.length > 0, { uncovered, unproven, strict })
  return {
    status,
    ok: status === 'ok',
    broken,
    derived,
    signed: policy === null ? null : statement !== null,
    checkpoint,
    of:
      found === null
        ? null
        : { reality: String(at(predicate, 'reality')), moment: found.moment, hash: found.hash },
    unproven: [...uncovered, ...unproven],
  }
}

/** An unknown law is a value here: what it judged is not proven, and not broken. */
async function deriveKnown(witness: Witness): Promise<DerivedPermission | UnknownLawError> {
  try {
    return await derivePermission(witness)
  } catch (error) {
    if (error instanceof UnknownLawError) return error
    throw error
  }
}

/** What no passkey shows of an act of a person. */
function unsigned(derived: DerivedPermission | null): string[] {
  const signing = derived?.signing
  if (signing?.kind !== 'unsigned' && !(signing?.kind === 'unknown' && signing.isSigned)) return []
  const why = signing.kind === 'unknown' ? signing.why : 'it had one and did not use it'
  return [`that @${signing.by} made the act is not shown by a passkey: ${why}`]
}

/** What the check of several receipts found. */
export interface CheckedReceipts {
  /** the worst of them */
  readonly status: Status
  /** the status is `ok` */
  readonly ok: boolean
  /** in the order of the lines */
  readonly receipts: readonly CheckedReceipt[]
}

const WORST: readonly Status[] = ['broken', 'unproven', 'ok']

/**
 * Checks a file of receipts: one, or one a line. Nothing at all is broken.
 * @example
 * const { receipts } = await verifyReceipts(readFileSync('receipts.jsonl', 'utf8'))
 */
export async function verifyReceipts(text: string, checking: CheckOptions = {}): Promise<CheckedReceipts> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const isOneEach = lines.length > 1 && lines.every((line) => isObject(parsedReceipt(line)))
  const receipts = brokenIfDoubled(
    await Promise.all((isOneEach ? lines : [text]).map((one) => verifyReceipt(one, checking))),
  )
  const status = WORST.find((one) => receipts.some((receipt) => receipt.status === one)) ?? 'broken'
  return { status, ok: status === 'ok', receipts }
}

/**
 * A being has one moment of each number. Receipts of two are of two records of one reality, as where one was restored and went on another
 * way: at most one of them is of the record that there is.
 */
function brokenIfDoubled(receipts: readonly CheckedReceipt[]): readonly CheckedReceipt[] {
  const placeOf = ({ of }: CheckedReceipt): string => {
    const { being, n } = parseMomentId(String(of?.moment))
    return `${of?.reality} ${being} ${n}`
  }
  const byPlace = Map.groupBy(
    receipts.filter(({ of }) => of !== null),
    placeOf,
  )
  return receipts.map((receipt) => {
    const other = byPlace.get(placeOf(receipt))?.find(({ of }) => of?.hash !== receipt.of?.hash)
    if (receipt.of === null || other === undefined) return receipt
    const what = `another receipt here is of another moment of this being and number, ${other.of?.moment}`
    const broken = [...receipt.broken, { reel: 'receipt', seq: 0, reason: 'moment-doubled', what }]
    return { ...receipt, status: 'broken' as const, ok: false, broken }
  })
}

function parsedReceipt(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const fieldsOf = (value: Json | undefined): string =>
  isObject(value) ? Object.keys(value).sort().join(' ') : ''

/** The fields of a predicate; `ask` stands where its operation asks. */
const PREDICATE = 'facts fallback moment program proof reality reels specs surface target verdict'
const PROOF = ['index note path reels', 'cuts index note path reels']

/** Other fields, or doubled ones, would be something that nobody checks. @throws {Error} */
function requireShape(statement: JsonObject): void {
  const { subject, predicate = null } = statement
  const { ask: _ask, ...rest } = isObject(predicate) ? predicate : {}
  const proof = at(predicate, 'proof') ?? null
  const subjects = isArray(subject ?? null) ? (subject as readonly Json[]) : []
  const isShaped =
    fieldsOf(statement) === '_type predicate predicateType subject' &&
    fieldsOf(rest) === PREDICATE &&
    (proof === null || PROOF.includes(fieldsOf(proof))) &&
    subjects.every((one) => fieldsOf(one) === 'digest name' && fieldsOf(at(one, 'digest')) === 'sha256')
  if (!isShaped) throw new Error('its statement has other fields than those of a receipt')
}

function requireWitness(predicate: Json | undefined): Witness {
  if (
    !isObject(predicate) ||
    !isObject(predicate.moment) ||
    !isObject(predicate.reels) ||
    !isArray(predicate.specs) ||
    !isArray(predicate.fallback)
  )
    throw new Error('it holds no witness of a permission')
  return predicate as unknown as Witness
}

/** @throws {Error} for anything but an envelope of a receipt that a key of the log signed */
function openEnvelope(text: string, policy: WitnessPolicy | null): JsonObject {
  const envelope = JSON.parse(text) as Json
  const payload = at(envelope, 'payload')
  const body = Buffer.from(String(payload), 'base64')
  if (body.toString('base64') !== payload) throw new Error('its payload is not base64')
  const signatures = at(envelope, 'signatures')
  const areKnown = isArray(signatures) && signatures.every((one) => fieldsOf(one) === 'keyid sig')
  if (fieldsOf(envelope) !== 'payload payloadType signatures' || !areKnown)
    throw new Error('its envelope has other fields than payload, payloadType and signatures')
  if (at(envelope, 'payloadType') !== PAYLOAD_TYPE || !isArray(signatures) || signatures.length === 0)
    throw new Error(`it is not a DSSE envelope of ${PAYLOAD_TYPE} with a signature`)
  const bytes = signatures.flatMap((one) => {
    const text = at(one, 'sig')
    const sig = Buffer.from(String(text), 'base64')
    return sig.toString('base64') === text ? [sig] : []
  })
  const keyIds = signatures.map((one) => at(one, 'keyid') ?? null)
  if (new Set(keyIds).size < keyIds.length) throw new Error('a key signed it twice')
  const signing = policy?.logs.find((log) => bytes.some((sig) => isSignedBy(log, PAYLOAD_TYPE, body, sig)))
  if (policy !== null && signing === undefined)
    throw new Error(`the key ${policy.logs.map(({ name }) => name).join(', ')} did not sign it`)
  const own = signing === undefined ? null : `${signing.name}+${signing.id.toString('hex')}`
  if (own !== null && (keyIds.length !== 1 || keyIds[0] !== own))
    throw new Error(`it has another keyid, or another signature, than that of ${own}`)
  const told = new TextDecoder('utf-8', { fatal: true }).decode(body)
  const statement = JSON.parse(told) as Json
  if (canonical(statement) !== told) throw new Error('its payload is not canonical JSON')
  if (!isObject(statement) || statement._type !== STATEMENT_TYPE || statement.predicateType !== RECEIPT_TYPE)
    throw new Error(`it is not an in-toto statement of ${RECEIPT_TYPE}`)
  requireShape(statement)
  return statement
}

/** The checkpoint whose tree holds the record of the moment. @throws {Error} when it does not */
function covering(
  proof: JsonObject,
  derived: DerivedPermission,
  reality: string,
  policy: WitnessPolicy | null,
): SignedCheckpoint {
  const { note, index, path } = proof
  const checkpoint = readCheckpoint(String(note), policy)
  if (checkpoint.origin !== `treeos/${reality}`)
    throw new Error(`it has a checkpoint of ${checkpoint.origin}`)
  const [being, , n] = derived.moment.split('/')
  const leaf = { record: [String(being), Number(n), derived.hash] }
  const holds = (entry: Json, where: Json, hashes: Json) =>
    isIncluded(
      entry,
      where as number,
      (isArray(hashes) ? hashes : []) as string[],
      checkpoint.size,
      checkpoint.root,
    )
  if (!holds(leaf, index ?? null, path ?? null))
    throw new Error('the tree of the checkpoint does not hold the moment')
  for (const [reel, at] of Object.entries(reelsIn(proof))) {
    const head = derived.heads.find(([name]) => name === reel)
    const [where = null, hashes = null] = placeIn(at)
    if (head === undefined || !holds({ fact: head }, where, hashes))
      throw new Error(`the tree of the checkpoint does not hold what is shown of ${reel}`)
  }
  for (const { reel, from, after } of derived.gaps) {
    const cut = at(proof, 'cuts', `${from - 1} ${reel}`)
    const [where = null, hashes = null] = placeIn(cut)
    if (!holds({ fact: [reel, from - 1, after] }, where, hashes))
      throw new Error(`the tree of the checkpoint does not hold fact ${from - 1} of ${reel}`)
  }
  return checkpoint
}

/** The index and the path of a proof. */
const placeIn = (place: Json | undefined): readonly Json[] =>
  isArray(place) && place.length === 2 ? place : []

/** Proofs of the last facts of reels, each as [index, path]. */
const reelsIn = (proof: Json | undefined): JsonObject => {
  const reels = at(proof, 'reels')
  return isObject(reels) ? reels : {}
}
