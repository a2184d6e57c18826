/** By what a moment is known among all of a thread. @param being its name or stance */
export const momentKey = (being: string, n: number): string => `${being.replace(/^@/, '')} ${n}`

interface WokenLine {
  readonly id: string
  readonly to: string
  readonly moment: { readonly n: number } | null
}

/** By what a line stands in the run of its thread: its moment, or itself while it has none. */
export const runKeyOf = ({ id, to, moment }: WokenLine): string =>
  moment === null ? id : momentKey(to, moment.n)
