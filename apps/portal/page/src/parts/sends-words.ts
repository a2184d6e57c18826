/** What a key press says of itself. */
export interface EnterPress {
  readonly key: string
  readonly shiftKey: boolean
  readonly isComposing: boolean
  readonly keyCode: number
}

/** Of a key that a composition took. Safari tells of its end before the key that ends it, so `isComposing` is false there. */
const TAKEN_BY_COMPOSITION = 229

/** Whether a key sends the words of its form. With Shift it begins a line, and while a letter is composed it is part of it. */
export const sendsWords = ({ key, shiftKey, isComposing, keyCode }: EnterPress): boolean =>
  key === 'Enter' && !shiftKey && !isComposing && keyCode !== TAKEN_BY_COMPOSITION
