/** A role as its author wrote it; what was left out has a default. */
export type Spec = Readonly<Record<string, unknown>> & { readonly name: string }

/** The act that writes a role. */
export const setRole = (role: Spec | null) => ({
  verb: 'do',
  target: '/',
  action: 'set-role',
  args: { role },
})
