/** One thing that `treeos doctor` looked at. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  /** what was found */
  readonly found: string
  /** the command that mends it; null when nothing needs mending */
  readonly mend: string | null
  /** what is wrong here leaves the rest of TreeOS whole */
  readonly optional?: true
}

export type Finding = Omit<Check, 'name'>
export const good = (found: string): Finding => ({ ok: true, found, mend: null })
export const bad = (found: string, mend: string): Finding => ({ ok: false, found, mend })
