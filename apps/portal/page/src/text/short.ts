/**
 * A name that is cut in its middle: names of many are told apart by their ends.
 * @param max signs that are left
 */
export function shortName(name: string, max: number): string {
  const signs = [...name]
  if (signs.length <= max) return name
  const end = Math.floor((max - 1) / 2)
  return `${signs.slice(0, max - 1 - end).join('')}…${signs.slice(signs.length - end).join('')}`
}
