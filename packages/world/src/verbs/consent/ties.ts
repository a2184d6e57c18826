import { asJson, type VerbCall } from '@treeos/core'
import { formDigest } from '../../extend/manifest.ts'
import { ceilingsOf } from '../../gates/list-gate.ts'
import type { AskedRules } from '../../gates/refusal.ts'
import type { Ties } from '../../rows/rows.ts'
import type { ActInputs } from '../act-inputs.ts'
import type { ConsentTerms } from './consent.ts'
import { rulesOf } from './whom.ts'

/** Digests of all that a yes to a call rests on. */
export async function tiesOf(
  call: VerbCall,
  at: ActInputs,
  asking: ConsentTerms,
  asked: readonly AskedRules[],
): Promise<Ties> {
  const { digest, reader, me } = at
  const rests = asked.map((one) => one.rests)
  return {
    call: digest(asJson(call)),
    roles: digest(asJson(asking.stack)),
    ceilings: digest(asJson(await ceilingsOf(reader, me))),
    rules: digest(asJson({ rests, who: await rulesOf(at, asked) })),
    lease: digest(asJson(asking.lease)),
    operation: operationOf(call, at),
  }
}

/** The operation of a call as the loaded code describes it. */
function operationOf(call: VerbCall, { registry, digest }: ActInputs): Ties['operation'] {
  const operation =
    call.verb === 'do'
      ? registry.operations.get(call.operation)
      : call.verb === 'be'
        ? registry.beOperations.get(call.operation)
        : undefined
  if (operation === undefined) return null
  return formDigest(operation, digest)
}
