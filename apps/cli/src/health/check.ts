/** One thing that `treeos doctor` checked. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  /** what was found */
  readonly found: string
  /** the command that repairs it; null when nothing is wrong */
  readonly mend: string | null
  /** the rest of TreeOS works without it */
  readonly optional?: true
}

export type Finding = Omit<Check, 'name'>
export const good = (found: string): Finding => ({ ok: true, found, mend: null })
export const bad = (found: string, mend: string): Finding => ({ ok: false, found, mend })
