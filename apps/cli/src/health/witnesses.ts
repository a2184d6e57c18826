import {
  bad,
  CHECKPOINTS,
  type CheckResult,
  type DoctorCheck,
  dataFlag,
  good,
  readInstance,
  serviceOf,
  unseen,
} from '@treeos/local'
import { findWitnessing, type WitnessFile, type WitnessState } from '@treeos/proofs'
import { describeQuorum, parsePolicy } from '@treeos/verify'
import { witnessesFile } from '../instance/signed-checkpoints.ts'
import { duration } from '../text/output.ts'

/** How many of the outside witnesses cosigned the newest checkpoint that they were asked for. */
export interface WitnessStatus {
  readonly cosigned: number
  readonly of: number
  /** the newest checkpoint that a quorum cosigned; null for none */
  readonly quorum: { readonly size: number; readonly ageSeconds: number } | null
  /** what keeps each of the others */
  readonly faults: readonly { readonly witness: string; readonly why: string; readonly what: string }[]
}

/** The log is not the one that they cosigned. */
const ALARMS = ['inconsistent', 'ahead']
/** How long a quorum may lack for the newest checkpoint. */
const LATE_SECONDS = 120

/** @returns null where the signer asks no witnesses */
export function readWitnessStatus(dataDir: string): WitnessStatus | null {
  const found = findWitnessing(witnessesFile(dataDir))
  return found === null || found.failed !== null ? null : witnessStatus(found)
}

const secondsSince = (at: number): number => Math.max(0, (Date.now() - at) / 1000)
const hasCosigned = ({ fault, size, at }: WitnessState, asked: WitnessFile['asked']): boolean =>
  fault === null && at !== null && size >= (asked?.size ?? 0)

const witnessStatus = ({ asked, reached, witnesses }: WitnessFile): WitnessStatus => ({
  cosigned: witnesses.filter((one) => hasCosigned(one, asked)).length,
  of: witnesses.length,
  quorum: reached === null ? null : { size: reached.size, ageSeconds: secondsSince(reached.at) },
  faults: witnesses.flatMap(({ name, fault }) =>
    fault === null ? [] : [{ witness: name, why: fault.why, what: fault.what }],
  ),
})

export function describeWitnesses({ cosigned, of, quorum, faults }: WitnessStatus): string {
  const when =
    quorum === null
      ? 'never a quorum'
      : `a quorum ${duration(quorum.ageSeconds)} ago, of ${quorum.size} entries`
  const others = faults.map(({ witness, what }) => `; ${witness}: ${what}`).join('')
  return `${cosigned} of ${of} cosigned the newest, ${when}${others}`
}

/** @returns no check where the signer asks no witnesses */
export function examineWitnesses(dataDir: string): DoctorCheck[] {
  if (serviceOf(readInstance(dataDir), CHECKPOINTS) === null) return []
  const name = 'witnesses'
  const mend = `treeos logs checkpoints${dataFlag(dataDir)} says how they answer`
  try {
    const found = findWitnessing(witnessesFile(dataDir))
    return found === null ? [] : [{ name, ...judgeWitnesses(found, { mend, flag: dataFlag(dataDir) }) }]
  } catch (error) {
    return [unseen(name, error, mend)]
  }
}

function judgeWitnesses(
  found: WitnessFile,
  { mend, flag }: { mend: string; flag: string },
): CheckResult & Pick<DoctorCheck, 'optional'> {
  const { asked, reached, witnesses, failed, policy } = found
  if (failed !== null) return bad(failed, 'repair the file that TREEOS_WITNESSES names, then treeos up again')
  const alarms = witnesses.filter(({ fault }) => fault !== null && ALARMS.includes(fault.why))
  if (alarms.length > 0)
    return bad(
      `witnesses refuse the log of now: ${alarms.map(({ name, fault }) => `${name}: ${fault?.what}`).join('; ')}`,
      `treeos verify${flag} says what was changed; after a restore see docs/proofs.md`,
    )
  const told = describeWitnesses(witnessStatus(found))
  const isReached = asked === null || (reached !== null && reached.size >= asked.size)
  const { quorum } = parsePolicy(policy)
  if (isReached || quorum === null || (reached !== null && secondsSince(reached.at) < LATE_SECONDS))
    return good(told)
  // Nothing waits for witnesses: it is a warning.
  return { ...bad(`${told}; a quorum is ${describeQuorum(quorum)}`, mend), optional: true }
}
