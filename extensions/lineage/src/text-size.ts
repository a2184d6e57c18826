import type { Json } from '@treeos/sdk'

/** Bytes of a value in a row, where a control character takes six. */
export const jsonBytes = (value: Json): number => new TextEncoder().encode(JSON.stringify(value)).length

/** The start of a text that takes at most so many bytes in a row. */
export function startWithin(text: string, bytesMax: number): string {
  let kept = text
  while (jsonBytes(kept) > bytesMax) kept = kept.slice(0, Math.floor(kept.length * 0.9)).toWellFormed()
  return kept
}
