/** Long enough to be told apart. */
const HASH_SHOWN = 12

const LINE_SHOWN = 72

export const short = (hash: string): string => hash.slice(0, HASH_SHOWN)

export const cut = (text: string, most = LINE_SHOWN): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text

export const list = (names: readonly string[]): string => (names.length === 0 ? '-' : names.join(' '))

export const timeOf = (iso: string): string => iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z')
