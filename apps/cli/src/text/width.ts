import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
let ofAny: ((text: string) => number) | null = null

/**
 * Places that a text takes on a terminal. What knows the widths of all characters takes 40 ms to load, and
 * most text is plain ASCII.
 */
export function widthOf(text: string): number {
  if (!/[^ -~]/.test(text)) return text.length
  ofAny ??= (require('string-width') as typeof import('string-width')).default
  return ofAny(text)
}
