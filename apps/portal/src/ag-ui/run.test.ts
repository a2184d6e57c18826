import { expect, it } from 'vitest'
import { AnswerMessage } from './run.ts'

async function told(tell: (words: AnswerMessage) => void, answer: string | null): Promise<string[]> {
  const events: string[] = []
  const words = new AnswerMessage('r', async ({ type }) => void events.push(type))
  tell(words)
  await words.end(answer)
  return events
}

// Clients refuse an event of the run, such as its error, while a message is open.
it.each<[string, (words: AnswerMessage) => void, string | null, string[]]>([
  [
    'written in part, before an error',
    (words) => words.tell('hel'),
    null,
    ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END'],
  ],
  ['not begun', () => undefined, null, []],
  ['whole', () => undefined, 'hello', ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END']],
])('a message that is %s is closed by its end', async (_what, tell, answer, events) => {
  expect(await told(tell, answer)).toEqual(events)
})
