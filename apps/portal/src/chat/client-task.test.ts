import { expect, it } from 'vitest'
import { answerClientTask } from './client-task.ts'

const user = (content: string) => ({ role: 'user', content }) as const
const history = (said: string) =>
  `### Chat History:\n<chat_history>\nUSER: ${said}\nASSISTANT: Fine.\n</chat_history>`

it.each([
  [
    'a title of Open WebUI',
    `### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n${history('My lamp is broken')}`,
    '{"title":"My lamp is broken"}',
  ],
  [
    'tags of Open WebUI',
    `### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history.\n${history('x')}`,
    '{"tags":[]}',
  ],
  [
    'suggestions of Open WebUI',
    `### Task:\nSuggest 3-5 relevant follow-up questions or prompts.\n${history('x')}`,
    '{"follow_ups":[]}',
  ],
  [
    'queries of Open WebUI',
    `### Task:\nAnalyze the chat history to determine the necessity of generating search queries.\n${history('x')}`,
    '{"queries":[]}',
  ],
  [
    'a title of LibreChat',
    'Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only return the title itself.\n\nConversation:\nUser: My lamp is broken\nAI: Which one?',
    'My lamp is broken',
  ],
])('%s is answered without the being', (_what, text, answer) => {
  expect(answerClientTask({ messages: [user(text)] })).toBe(answer)
})

it('a long first line gives a title that ends at a word', () => {
  const asked = `### Task:\nGenerate a title.\n${history('word '.repeat(30))}`
  expect(answerClientTask({ messages: [user(asked)] })).toBe(`{"title":"${'word '.repeat(12).trim()}…"}`)
})

it.each([
  ['words', [user('Generate a title for my book')]],
  ['words about a task', [user('### Task: mend the lamp')]],
  [
    'a task within a conversation',
    [user('hello'), { role: 'assistant', content: 'hello' } as const, user('### Task:\nGenerate a title.')],
  ],
])('%s of a user are not', (_what, messages) => {
  expect(answerClientTask({ messages })).toBeNull()
})
