/** @throws {Error} where something does not hold */
export const need = (condition: boolean, what: string): void => {
  if (!condition) throw new Error(what)
}
