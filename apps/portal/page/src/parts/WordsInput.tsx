import { Textarea, type TextareaProps } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import { t } from '../language/index.ts'
import { sendsWords } from './sends-words.ts'

/** Where one writes what is said to somebody. Enter sends its form. */
export const WordsInput = (props: TextareaProps) => (
  <Textarea description={t('Enter sends, Shift and Enter begin a line')} onKeyDown={sendOnEnter} {...props} />
)

function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>) {
  if (!sendsWords(event.nativeEvent)) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
