import stringWidth from 'string-width'
import { expect, it } from 'vitest'
import { widthOf } from './width.ts'

it.each(['', 'plain ASCII ~', 'tab\there', 'über', '漢字', '👍🏽 ok', '\u001b[31mred\u001b[39m', 'e\u0301'])(
  'the width of %j is that which its characters take on a terminal',
  (text) => {
    expect(widthOf(text)).toBe(stringWidth(text))
  },
)
