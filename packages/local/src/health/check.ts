import { messageOf } from '../machine/error.ts'

/** One thing that `treeos doctor` checked. */
export interface DoctorCheck {
  readonly name: string
  readonly ok: boolean
  /** what was found */
  readonly found: string
  /** the command that repairs it; null when nothing is wrong */
  readonly mend: string | null
  /** the rest of TreeOS works without it */
  readonly optional?: true
}

export type CheckResult = Omit<DoctorCheck, 'name'>
export const good = (found: string): CheckResult => ({ ok: true, found, mend: null })
export const bad = (found: string, mend: string): CheckResult => ({ ok: false, found, mend })

/** How to repair what keeps a check from being made. */
export const RECHECK = 'repair what the other checks name, then treeos doctor again'

/** A check that could not be made. It is a warning: nothing is known to be wrong. */
export const unseen = (name: string, error: unknown, mend: string): DoctorCheck => ({
  name,
  ...bad(`could not be checked: ${messageOf(error)}`, mend),
  optional: true,
})
