import { Textarea, type TextareaProps } from '@mantine/core'
import type { KeyboardEvent } from 'react'

/** Where one writes what is said to somebody. Enter sends its form. */
export const WordsInput = (props: TextareaProps) => (
  <Textarea description="Enter sends, Shift and Enter begin a line" onKeyDown={sendOnEnter} {...props} />
)

/** With Shift it begins a line, and while a letter is composed it is part of it. */
function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>) {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
