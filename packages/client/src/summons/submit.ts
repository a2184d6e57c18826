import {
  type ActContent,
  actWakeId,
  type BeingName,
  canonicalJson,
  stanceOf,
  TreeosError,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import { authorizeActingAs, readerOf, type SealedAct, sealingOf } from '@treeos/reality'
import { findEntry } from '@treeos/store'
import { passkeysOf, signedCorrelation } from './act-challenge.ts'
import type { Connection } from './connection.ts'
import { actWake, putAct } from './put-act.ts'
import { isWithdrawn, keyedCorrelation } from './request-keys.ts'
import { isFromOutside, isUnprotecting } from './strangers.ts'

export interface SubmittedAct {
  /** the one that a summon will have */
  readonly correlation: string
  /** false: an earlier request with the same key had put it there */
  readonly isNew: boolean
}

/**
 * Puts an act into the inbox of the person's being and rings it.
 * @param call as its moment reads it, since append compares the two: see `parseCall`
 */
export async function submit(
  at: Connection,
  as: BeingName,
  call: VerbCall,
  {
    answers,
    key,
    outside: saysSo,
  }: {
    readonly answers: string | null
    readonly key: string | undefined
    readonly outside: boolean
  },
): Promise<SubmittedAct> {
  const lease = await authorizeActingAs(at, as)
  const { registry } = at
  const outside =
    saysSo ||
    at.isHosted === true ||
    (at.isTerminal === true && isUnprotecting(call)) ||
    (at.isProgram === true && (await isFromOutside({ reader: readerOf(at), registry }, as, call)))
  const signer = lease?.driver ?? as
  const sealing = await sealingOf(at, as, call)
  if (sealing !== null && at.sign !== undefined) await requireUnsigned(at, signer, sealing)
  const signing = sealing === null ? ((await at.sign?.({ being: as, signer, call, answers })) ?? null) : null
  for (let attempt = 0; ; attempt++) {
    // A signature names its act by itself.
    const correlation =
      signing !== null
        ? signedCorrelation(signing.salt)
        : key === undefined
          ? crypto.randomUUID()
          : keyedCorrelation({ as, key, attempt })
    const id = actWakeId(correlation)
    const content: ActContent = {
      call: sealing === null ? call : await sealing.seal(id, () => findCall(at, id)),
      answers,
      ...(lease === null ? {} : { lease }),
      ...(signing ?? {}),
    }
    const wake = actWake(as, correlation, content, outside)
    const isNew = await putAct(at, wake, key === undefined)
    if (isNew) return { correlation, isNew }
    if (signing !== null) await requireSame(at, wake)
    if (signing !== null || !(await isWithdrawn(at.db, wake.id, content))) return { correlation, isNew }
  }
}

/** The call of an act that is in the inbox; null for none. */
const findCall = async ({ db }: Connection, id: string): Promise<VerbCall | null> => {
  const entry = await findEntry(db, id)
  return entry === null ? null : (entry.content as unknown as ActContent).call
}

/**
 * A signed act is recorded with exactly the words that were signed, so its text cannot be sealed first.
 * @throws {TreeosError} INVALID_INPUT when the person has a passkey, and so signs its acts
 */
async function requireUnsigned(at: Connection, signer: BeingName, { operation }: SealedAct): Promise<void> {
  if ((await passkeysOf(at, signer)).length > 0)
    throw new TreeosError(
      'INVALID_INPUT',
      `${operation} keeps its text sealed, and ${stanceOf(signer)} signs its acts with a passkey, as they are recorded: let another being do it`,
    )
}

/**
 * A request with the same signature finds the act of the first one.
 * @throws {TreeosError} RESOURCE_CONFLICT for another act
 */
async function requireSame({ db }: Connection, { id, being, content }: Wake): Promise<void> {
  const entry = await findEntry(db, id)
  if (entry?.being !== being || canonicalJson(entry.content) !== canonicalJson(content))
    throw new TreeosError('RESOURCE_CONFLICT', 'another act was signed with this salt: sign it again')
}
