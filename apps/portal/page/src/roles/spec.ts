/** A role as its author wrote it; what was left out has a default. */
export type Spec = Readonly<Record<string, unknown>> & { readonly name: string }

/** The summary of a trial. Publishing a role keeps it with the new version. */
export type TrialNote = Readonly<Record<string, number | null>>

/** The act that writes a role. @param trial what a trial of it came to; null for none */
export const setRole = (role: Spec | null, trial: TrialNote | null = null) => ({
  verb: 'do',
  target: '/',
  operation: 'set-role',
  args: { role, ...(trial === null ? {} : { trial }) },
})
